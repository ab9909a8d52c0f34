declare module "cluster-key-slot" {
  /**
   * Returns the slot of a key, 0 to 16383: CRC16 (XMODEM) of its hash tag, or of the whole key if it has none, modulo
   * 16384.
   */
  export default function calculateSlot(key: string): number;
}
