// A program of two agents that sends its spans with OpenTelemetry's SDK for JavaScript, in JSON over HTTP.
// The SDK reads from the environment where to: OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(`${process.env.VIVA_NODE_PACKAGES}/`); // where scripts/node_packages installs them
const { SpanStatusCode } = require("@opentelemetry/api");
const { OTLPTraceExporter } = require("@opentelemetry/exporter-trace-otlp-http");
const { BatchSpanProcessor, NodeTracerProvider } = require("@opentelemetry/sdk-trace-node");

const story = JSON.parse(readFileSync(new URL("hotel.json", import.meta.url)));
const processor = new BatchSpanProcessor(new OTLPTraceExporter(), { maxExportBatchSize: 3 }); // several requests
const provider = new NodeTracerProvider({ spanProcessors: [processor] });
provider.register(); // so that spans know their parents
const tracer = provider.getTracer("hotel", "1.0");

function record({ name, attributes, error, children = [] }) {
  const pairs = Object.entries(attributes).map(([key, value]) => [key, asAttribute(value)]);
  tracer.startActiveSpan(name, { attributes: Object.fromEntries(pairs) }, (span) => {
    if (error) span.setStatus({ code: SpanStatusCode.ERROR, message: error });
    children.forEach(record);
    wait(2); // work takes time, and this SDK counts the beginning of a span in whole milliseconds
    span.end();
  });
}

function wait(milliseconds) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

// Instrumentations write lists and objects as JSON.
function asAttribute(value) {
  return typeof value === "object" ? JSON.stringify(value) : value;
}

record(story);
await provider.shutdown();
