// Loaded into every process of a test run (`--import`, or as a vitest setup file). Compares each response of a Mandate server with
// packages/contract/openapi.json and writes differences to the file in MANDATE_TEST_ANSWERS, which `report-answers.ts` reads.
// Plain JavaScript, because the command line also starts on Node versions that cannot run TypeScript.
import { appendFileSync } from 'node:fs'
import { Server } from 'node:http'
import { createRequire } from 'node:module'

const file = process.env.MANDATE_TEST_ANSWERS
const maxBodyBytes = 4 * 1024 * 1024
/** A stream of events may be open during a whole test, and its events are not in openapi.json. */
const maxStreamBytes = 16 * 1024
const seen = new Map()
const require = createRequire(import.meta.url)

if (file && !globalThis.mandateAnswersAreRecorded) {
  globalThis.mandateAnswersAreRecorded = true
  const emit = Server.prototype.emit
  Server.prototype.emit = function (event, request, response, ...rest) {
    if (event === 'request') watch(request, response)
    return emit.call(this, event, request, response, ...rest)
  }
}

/** Collects the body while the server writes it, and checks the response when it is complete. */
function watch(request, response) {
  const chunks = []
  let size = 0
  const headers = {}
  const isWhole = () =>
    size <= (headers['content-type']?.startsWith('text/event-stream') ? maxStreamBytes : maxBodyBytes)
  const keep = (chunk, encoding) => {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return
    size += chunk.length
    if (isWhole()) chunks.push(typeof chunk === 'string' ? Buffer.from(chunk, encoding) : Buffer.from(chunk))
  }
  const { write, end, writeHead } = response
  response.writeHead = function (status, ...rest) {
    // `getHeader` does not return headers that are passed to `writeHead`.
    Object.assign(headers, this.getHeaders(), rest.at(-1))
    return writeHead.call(this, status, ...rest)
  }
  response.write = function (chunk, encoding, ...rest) {
    keep(chunk, typeof encoding === 'string' ? encoding : undefined)
    return write.call(this, chunk, encoding, ...rest)
  }
  response.end = function (chunk, encoding, ...rest) {
    keep(chunk, typeof encoding === 'string' ? encoding : undefined)
    return end.call(this, chunk, encoding, ...rest)
  }
  response.once('finish', () => {
    // Not well-formed HTTP/1.1, which is refused before the operation is known.
    if (request.headersDistinct.host?.length !== 1) return
    if (!isFromMandate(headers)) return
    const answer = {
      method: request.method,
      path: request.url.split('?')[0],
      status: response.statusCode,
      type: headers['content-type'],
      body: isWhole() ? Buffer.concat(chunks).toString('utf8') : null,
    }
    // Loaded with the first response: reading openapi.json takes half a second, and most processes serve nothing.
    const { operation, fault } = require('./find-fault.js').findFault(answer)
    record(`${operation} ${answer.status}`, fault)
  })
}

/** Recognizes a Mandate server by its headers. Other servers of a test, such as tool servers, do not send all of them. */
function isFromMandate(headers) {
  return headers['x-request-id'] !== undefined && headers['x-content-type-options'] === 'nosniff'
}

/** Writes one line for each distinct pair of response and fault, because a run has hundreds of thousands of responses. */
function record(answer, fault) {
  const line = JSON.stringify({ answer, fault })
  if (seen.has(line)) return
  seen.set(line, true)
  appendFileSync(file, `${line}\n`)
}
