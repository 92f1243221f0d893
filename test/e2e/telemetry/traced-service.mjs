/**
 * A web service that is instrumented by OpenTelemetry, as applications are, and reports its spans by itself. It has no code of
 * ours. The front service calls the one at `NEXT`. Its port is the first line that it prints; it ends with its input.
 */
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
const { registerInstrumentations } = require('@opentelemetry/instrumentation')
const { HttpInstrumentation } = require('@opentelemetry/instrumentation-http')
const { NodeTracerProvider, BatchSpanProcessor } = require('@opentelemetry/sdk-trace-node')
const { OTLPTraceExporter } = require('@opentelemetry/exporter-trace-otlp-http')
const { B3Propagator, B3InjectEncoding } = require('@opentelemetry/propagator-b3')
const { resourceFromAttributes } = require('@opentelemetry/resources')
const { W3CTraceContextPropagator } = require('@opentelemetry/core')

const { RECEIVER, NAME, NEXT, PROPAGATION } = process.env
const propagators = {
  w3c: () => new W3CTraceContextPropagator(),
  b3: () => new B3Propagator({ injectEncoding: B3InjectEncoding.SINGLE_HEADER }),
  'b3-headers': () => new B3Propagator({ injectEncoding: B3InjectEncoding.MULTI_HEADER }),
}
const exporter = new OTLPTraceExporter({ url: `${RECEIVER}/v1/traces` })
const provider = new NodeTracerProvider({
  resource: resourceFromAttributes({ 'service.name': NAME }),
  spanProcessors: [new BatchSpanProcessor(exporter, { scheduledDelayMillis: 200 })],
})
provider.register({ propagator: propagators[PROPAGATION]() })
registerInstrumentations({ tracerProvider: provider, instrumentations: [new HttpInstrumentation()] })

// Loaded after the instrumentation, which wraps it.
const http = require('node:http')
const server = http.createServer((request, response) => {
  const answer = (status) => {
    response.statusCode = status
    response.end('{"ok":true}')
  }
  if (!NEXT) return answer(request.url.startsWith('/fail') ? 503 : 200)
  http
    .get(`${NEXT}${request.url}`, (from) => {
      from.resume()
      from.on('end', () => answer(from.statusCode))
    })
    .on('error', () => answer(502))
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
process.stdin.resume().on('end', async () => {
  await provider.shutdown()
  process.exit(0)
})
