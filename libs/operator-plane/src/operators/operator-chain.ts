/**
 * Identifies the chain of operator actions in events-svc, in place of a Project Client's id. No Project Client has this
 * id.
 */
export const operatorChainId = "operator-actions";

/** Maximum number of characters of a person's subject. OpenID Connect allows as many. */
const subjectLengthMax = 255;

/**
 * Returns whether the chain accepts entries about this subject. Nobody may sign in with another one, because an entry
 * cannot be removed or changed.
 */
export function isOperatorSubject(subject: string): boolean {
  return subject !== "" && subject.length <= subjectLengthMax && !/\p{Cc}/u.test(subject);
}
