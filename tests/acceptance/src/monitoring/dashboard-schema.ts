import { fileURLToPath } from 'node:url'
import { Ajv, type ValidateFunction } from 'ajv'
import { createGenerator } from 'ts-json-schema-generator'

/** Grafana publishes the schema of a dashboard as TypeScript types only. */
function validatorOf(module: string, type: string): ValidateFunction {
  const path = fileURLToPath(module)
  const types = path.replace(/index\.js$/, 'types.gen.d.ts')
  const schema = createGenerator({ path: types, type, skipTypeCheck: true, additionalProperties: false })
  // The type of a panel's queries is the empty base of the types of all data sources.
  const { definitions, ...rest } = schema.createSchema(type)
  const queries = type === 'Dashboard' ? { Dataquery: {} } : {}
  return new Ajv({ strict: false }).compile({ ...rest, definitions: { ...definitions, ...queries } })
}

/** Each returns whether its argument fits the schema; `errors` then says why it does not. */
export const SCHEMAS = {
  dashboard: validatorOf(import.meta.resolve('@grafana/grafana-foundation-sdk/dashboard'), 'Dashboard'),
  query: validatorOf(import.meta.resolve('@grafana/grafana-foundation-sdk/prometheus'), 'Dataquery'),
  stat: validatorOf(import.meta.resolve('@grafana/grafana-foundation-sdk/stat'), 'Options'),
  timeseries: validatorOf(import.meta.resolve('@grafana/grafana-foundation-sdk/timeseries'), 'Options'),
} as const satisfies Record<string, ValidateFunction>
