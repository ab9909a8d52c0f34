import { DecoratorHandler, type Dispatcher } from "undici";

/**
 * Thrown if the worker must not start this attempt, because its lease has ended and another worker may already have
 * attempted it. Nothing was sent.
 */
export class NotBegun extends Error {
  override readonly name = "NotBegun";
}

/**
 * A dispatcher that checks the lease when a connection accepts the request, immediately before its first byte and thus
 * after any wait for a connection. Requests that may no longer start fail with NotBegun.
 */
export function askingFirst(dispatcher: Dispatcher, mayBegin: () => boolean): Dispatcher {
  return dispatcher.compose((dispatch) => (options, handler) => {
    const inner: Dispatcher.DispatchHandler = new DecoratorHandler(handler);
    return dispatch(options, {
      onRequestStart: (controller, context) => {
        if (mayBegin()) inner.onRequestStart?.(controller, context);
        else controller.abort(new NotBegun("the lease is over"));
      },
      onResponseStart: (...given) => inner.onResponseStart?.(...given),
      onResponseData: (...given) => inner.onResponseData?.(...given),
      onResponseEnd: (...given) => inner.onResponseEnd?.(...given),
      onResponseError: (...given) => inner.onResponseError?.(...given),
    });
  });
}
