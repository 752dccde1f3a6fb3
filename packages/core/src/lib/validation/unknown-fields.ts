import { quoted } from './text-rules.ts'

/** The message for fields of the object at `path` that nothing reads. It names them, and says none of their values. */
export function unknownFields(path: string, names: readonly string[]): string {
  const where = path === '' ? '' : ` in ${path}`
  return `Unknown fields${where}: ${names.map(quoted).join(', ')}.`.slice(0, 200)
}
