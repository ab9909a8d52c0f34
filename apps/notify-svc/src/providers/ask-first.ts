import { DecoratorHandler, type Dispatcher } from "undici";

/** The worker may not begin this try any more: its lease is over, and another worker may have made it. Nothing was sent. */
export class NotBegun extends Error {
  override readonly name = "NotBegun";
}

/**
 * A dispatcher that asks when a connection takes the request, immediately before its first byte: what waited for a connection, or for one
 * to be made, is judged after the wait. Requests that may not begin fail with NotBegun.
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
