/** HMAC-SHA256 under one key. */
export type Hmac = (bytes: Uint8Array<ArrayBuffer>) => Promise<Uint8Array>
