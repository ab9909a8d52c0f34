/** A word that readers have to decode, and the words that a native writer would use. */
type Word = {
  /** Name of the word in warnings. */
  readonly word: string;
  /** Matches the word where it is doubtful. It has no flags; matching ignores case. */
  readonly pattern: RegExp;
  readonly instead: string;
};

/** Words to avoid in documents and comments. Some uses are right, so a finding is a warning and never an error. */
export const doubtfulWords: readonly Word[] = [
  { word: "anew", pattern: /\banew\b/, instead: "say what happens: regenerate, restart, update" },
  { word: "answers", pattern: /\banswer(s|ed)\b/, instead: "returns, or responds with" },
  { word: "at once", pattern: /\bat once\b/, instead: "immediately, or concurrently" },
  { word: "beside", pattern: /\bbeside\b/, instead: "in addition to, next to, or compared with" },
  { word: "became of", pattern: /\b(became|becomes|came|comes) of\b/, instead: "the result of" },
  { word: "goes on", pattern: /\b(goes|go|went) on\b/, instead: "continues" },
  {
    word: "is noticed",
    pattern: /\b(is|are) (noticed|said|asked)\b/,
    instead: "name who detects, reports or requests it",
  },
  {
    word: "made",
    pattern: /\b(is|are|was|were|be) made\b|\bmakes? (a|an|the)\b/,
    instead: "create, build or generate",
  },
  { word: "mails", pattern: /\bmail(s|ed)\b/, instead: "emails" },
  { word: "stands", pattern: /\bstands\b(?! for)/, instead: "is, is stored, or is listed" },
  { word: "told", pattern: /\btold\b/, instead: "notified" },
  { word: "whoever", pattern: /\b(whoever|whosoever|whatever's)\b/, instead: "name the actor" },
];
