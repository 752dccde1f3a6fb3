import type { Catalog } from '@callboard/core'
import { titleOf } from '@callboard/core/engine'
import * as z from 'zod'
import { CommandError } from '../command-error.ts'

/** A JSON Schema. `compareSchemas` reads only some of its keywords. */
export type JsonSchema = z.core.JSONSchema.JSONSchema

/** The shapes that receivers can rely on: the event types of each format version of a catalogue, with their schemas. */
export interface CatalogDocument {
  readonly versions: readonly VersionDocument[]
}

export interface VersionDocument {
  readonly version: string
  readonly deprecated?: string | undefined
  readonly sunset?: string | undefined
  readonly types: readonly TypeDocument[]
}

export interface TypeDocument {
  readonly name: string
  /** The texts are for people who read the file. `catalog diff` does not compare them. */
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly personalDataPaths: readonly string[]
  /** The schema of `data` as receivers get it. */
  readonly schema: JsonSchema
}

export function describeCatalog(catalog: Catalog): CatalogDocument {
  return {
    versions: Object.values(catalog.versions).map(({ version, types, retirement }) => ({
      version,
      deprecated: retirement?.deprecated,
      sunset: retirement?.sunset,
      types: types.map((type) => ({
        name: type.name,
        title: titleOf(type),
        description: type.description,
        personalDataPaths: type.personalDataPaths,
        schema: z.toJSONSchema(type.schema, { unrepresentable: 'any' }),
      })),
    })),
  }
}

const documentSchema = z.object({
  versions: z.array(
    z.object({
      version: z.string(),
      types: z.array(
        z.object({
          name: z.string(),
          personalDataPaths: z.array(z.string()),
          schema: z.custom<JsonSchema>((value) => typeof value === 'object' && value !== null),
        }),
      ),
    }),
  ),
})

/** Parses what `catalog save` wrote. Throws CommandError for anything else. */
export function parseCatalogDocument(text: string, file: string): CatalogDocument {
  try {
    return documentSchema.parse(JSON.parse(text))
  } catch (cause) {
    throw new CommandError(`${file} is not a catalogue that "catalog save" wrote.`, { cause })
  }
}
