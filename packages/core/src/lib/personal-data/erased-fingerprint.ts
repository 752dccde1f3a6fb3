/**
 * The fingerprint of an event whose personal data was erased. It differs from the fingerprint of every list of paths.
 */
export const ERASED_FINGERPRINT = 'erased'
