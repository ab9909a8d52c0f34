/** SHA-256 of a Blob as lower-case hex, read in parts. */
export declare function digestOf(blob: Blob): Promise<string>;
