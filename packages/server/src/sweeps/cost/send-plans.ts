import { request } from 'node:http'
import type { Prepared } from './measured-request.ts'
import { buildBody } from './worst-shapes.ts'

/**
 * Runs in a separate process, so that the work of the client is not measured as work of the server. The first message describes
 * a request, which is then built. Each `send` message sends this request once.
 */
let next: (() => void) | undefined

process.on('message', (message: Prepared | 'send') => {
  if (message === 'send') return next?.()
  const { url, method, headers, plan } = message
  const body = plan && buildBody(plan)
  next = () => {
    const sent = request(url, {
      method,
      agent: false,
      headers: { ...headers, ...(body && { 'content-length': body.length }) },
    })
    let answered = false
    const answer = (status: number) => {
      if (!answered) process.send?.({ status })
      answered = true
    }
    sent.on('response', (response) => {
      response.resume().on('close', () => answer(response.statusCode ?? 0))
      // A stream of events has no end.
      if (response.headers['content-type']?.startsWith('text/event-stream')) response.destroy()
    })
    // A server that refuses a body may close the connection before the body was sent.
    sent.on('error', () => setImmediate(answer, 0))
    sent.end(body)
  }
  process.send?.('ready')
})
