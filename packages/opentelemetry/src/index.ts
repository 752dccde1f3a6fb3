export { createTelemetry, type TelemetryOptions } from './lib/telemetry.ts'
