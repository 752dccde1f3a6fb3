/** The fingerprint of an event whose personal data was erased: that of no list of paths. */
export const ERASED_FINGERPRINT = 'erased'
