/** The worker must not begin this attempt: its lease has ended and another worker may have made it. Nothing was sent. */
export class NotBegun extends Error {
  override readonly name = "NotBegun";
}
