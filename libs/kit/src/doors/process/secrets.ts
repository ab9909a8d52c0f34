/** Ids, tokens, and secrets sealed at rest. What other packages may import; a module without a line here is the package's own. */
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
