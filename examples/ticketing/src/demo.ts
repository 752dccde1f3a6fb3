/** What the platform shares with the receiver of the demo: files in `.data/`. */
export { dataDirOf } from './data-dir.ts'
export { readOrMakeDemoCertificate } from './demo-certificate.ts'
export { type DemoAccess, readDemoAccess } from './demo-file.ts'
