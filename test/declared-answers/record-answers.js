// Loaded into every process of a test run (`--import`, or as a vitest setup file). It compares each answer of a Mandate server with
// packages/contract/openapi.json and writes what differs to the file that MANDATE_TEST_ANSWERS names. `report-answers.ts` reads it.
// Plain JavaScript: the command line also starts on Node versions that cannot run TypeScript.
import { appendFileSync } from 'node:fs'
import { Server } from 'node:http'
import { findFault } from './find-fault.js'

const file = process.env.MANDATE_TEST_ANSWERS
const maxBodyBytes = 4 * 1024 * 1024
const seen = new Map()

if (file && !globalThis.mandateAnswersAreRecorded) {
  globalThis.mandateAnswersAreRecorded = true
  const emit = Server.prototype.emit
  Server.prototype.emit = function (event, request, response, ...rest) {
    if (event === 'request') watch(request, response)
    return emit.call(this, event, request, response, ...rest)
  }
}

/** Collects the body while it is written, and checks the answer once it is sent. */
function watch(request, response) {
  const chunks = []
  let size = 0
  const keep = (chunk, encoding) => {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return
    size += chunk.length
    if (size <= maxBodyBytes) chunks.push(typeof chunk === 'string' ? Buffer.from(chunk, encoding) : Buffer.from(chunk))
  }
  const { write, end, writeHead } = response
  const headers = {}
  response.writeHead = function (status, ...rest) {
    // Headers that are given here never reach `getHeader`.
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
    if (!isFromMandate(headers)) return
    const answer = {
      method: request.method,
      path: request.url.split('?')[0],
      status: response.statusCode,
      type: headers['content-type'],
      body: size <= maxBodyBytes ? Buffer.concat(chunks).toString('utf8') : null,
    }
    const { operation, fault } = findFault(answer)
    record(`${operation} ${answer.status}`, fault)
  })
}

/** Other servers of a test, such as tool servers and stand-ins for platforms, do not send these headers together. */
function isFromMandate(headers) {
  return headers['x-request-id'] !== undefined && headers['x-content-type-options'] === 'nosniff'
}

/** One line for each new pair of answer and fault: a run has hundreds of thousands of answers. */
function record(answer, fault) {
  const line = JSON.stringify({ answer, fault })
  if (seen.has(line)) return
  seen.set(line, true)
  appendFileSync(file, `${line}\n`)
}
