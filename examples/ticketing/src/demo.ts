/** The files in `.data/` that the platform shares with the demo receiver. */
export { dataDirOf, prepareDataDir } from './data-dir.ts'
export { readOrMakeDemoCertificate } from './demo-certificate.ts'
export { type DemoAccess, readDemoAccess } from './demo-file.ts'
export { StartError } from './start-error.ts'
