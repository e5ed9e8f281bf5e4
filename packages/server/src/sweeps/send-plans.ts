import { request } from 'node:http'
import type { Prepared } from './measured-request.ts'
import { buildBody } from './worst-shapes.ts'

/**
 * Runs as a process of its own, so that what a client costs is not counted for the server: builds a request when it is told what to
 * send, and sends it each time it is told to.
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
    sent.on('response', (response) => response.resume().on('close', () => answer(response.statusCode ?? 0)))
    // A server that refuses a body may hang up before it was sent.
    sent.on('error', () => setImmediate(answer, 0))
    sent.end(body)
  }
  process.send?.('ready')
})
