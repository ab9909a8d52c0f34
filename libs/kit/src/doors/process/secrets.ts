/** Ids, tokens, and secrets encrypted at rest. */
export { derivedId, isUuid, newId } from "../../process/id.ts";
export { type Keyring, keyIdOf, open, seal } from "../../process/sealed.ts";
export {
  constantTimeEqual,
  deriveToken,
  hashToken,
  newToken,
  recover,
  recoverToken,
  tokenMatches,
} from "../../process/token.ts";
