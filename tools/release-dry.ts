// Shows what a release would publish: each package's version and changelog entry, according to the pending changesets,
// and the files in its tarball. Publishes nothing. Run this after `turbo run build`.
import { packAll } from './pack.ts'
import { planRelease } from './plan-release.ts'

const bytes = (count: number): string => count.toLocaleString('en').padStart(9)

const planned = await planRelease()
for (const { manifest, bytes: size, files } of await packAll()) {
  const version = planned.find(({ name }) => name === manifest.name)
  console.log(`\n${manifest.name} ${version?.now} → ${version?.next}`)
  console.log(`\n${version?.changes.replace(/^(?=.)/gm, '  │ ')}\n`)
  for (const { path, bytes: each } of files) console.log(`${bytes(each)}  ${path}`)
  console.log(`${bytes(size)}  packed, of ${bytes(files.reduce((sum, file) => sum + file.bytes, 0)).trim()}`)
}
