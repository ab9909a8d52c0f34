import { constantTimeEqual, deriveToken, isUuid, type Keyring } from "@platform/kit/process/secrets";

/** The return paths of emails. Each names a delivery and cannot be forged without the service key. */
export type BounceAddresses = {
  /**
   * The return path of a delivery's email at a domain, or null for an id that belongs to no delivery. It has at most 59
   * octets before the @ (RFC 5321 §4.5.3.1.1).
   */
  of(deliveryId: string, domain: string): string | null;
  /** The delivery that an address belongs to; null if no key of the ring generated the address. */
  deliveryOf(address: string): string | null;
  /** The delivery of the first valid return path in a text, or null. */
  deliveryIn(text: string): string | null;
};

/** Length of the code in hex characters: 96 bits. Nobody can guess a code, because each attempt requires an email. */
const macLength = 24;
/** Maximum number of addresses in one text whose code is checked. */
const triesMax = 20;
const pattern = /b-([0-9a-f]{32})-([0-9a-f]{24})@([a-z0-9-]+(?:\.[a-z0-9-]+)+)/gi;

/**
 * Derives return paths from the service key: `b-<delivery id>-<code>@<domain>`, where the code is a truncated HMAC of
 * id and domain. The code is lower-case hex, because mail servers may change the case of a local part. Addresses of
 * previous keys are valid as long as the ring contains their key.
 */
export function createBounceAddresses(keyring: Keyring): BounceAddresses {
  const codeOf = (key: Uint8Array, id: string, domain: string): string =>
    deriveToken(key, "bounce-address", `${id}@${domain}`).slice(0, macLength);
  const idOf = ([, hex = "", code = "", domain = ""]: RegExpMatchArray): string | null => {
    const id = hex.toLowerCase().replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
    // Every key is compared, so that the time does not reveal which one created the address.
    const matches = [keyring.current, ...keyring.previous].filter((key) =>
      constantTimeEqual(codeOf(key, id, domain.toLowerCase()), code.toLowerCase()),
    );
    return matches.length > 0 && isUuid(id) ? id : null;
  };
  return {
    of: (deliveryId, domain) => {
      if (!isUuid(deliveryId)) return null;
      const id = deliveryId.toLowerCase();
      return `b-${id.replaceAll("-", "")}-${codeOf(keyring.current, id, domain.toLowerCase())}@${domain.toLowerCase()}`;
    },
    deliveryOf: (address) => {
      const [match] = address.matchAll(pattern);
      return match === undefined || match[0] !== address ? null : idOf(match);
    },
    deliveryIn: (text) => {
      for (const match of [...text.matchAll(pattern)].slice(0, triesMax)) {
        const id = idOf(match);
        if (id !== null) return id;
      }
      return null;
    },
  };
}
