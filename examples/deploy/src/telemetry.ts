import { createTelemetry } from '@callboard/opentelemetry'
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus'
import { MeterProvider } from '@opentelemetry/sdk-metrics'

const { METRICS_PORT } = process.env

/** Answers Prometheus on METRICS_PORT, if that is set. */
export const telemetry =
  METRICS_PORT === undefined
    ? undefined
    : createTelemetry({
        meterProvider: new MeterProvider({ readers: [new PrometheusExporter({ port: Number(METRICS_PORT) })] }),
      })
