import { randomUUID } from 'node:crypto'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { isServerName } from '@mandate/contract/fields/mcp-tool-name'
import type { Guard } from '../../guard/guard.ts'
import { writeJson } from '../../json/written-numbers.ts'
import type { Passage } from '../mediation/check-message.ts'
import type { OfferedTool } from '../mediation/filter-tools.ts'
import { inspectServerText } from '../mediation/inspect-server-text.ts'
import { type AskServer, listTools } from '../mediation/list-tools.ts'
import { OfferedTools } from '../mediation/offered-tools.ts'
import { OwnRequests } from '../mediation/own-requests.ts'
import { passServerText, type ServerText } from '../mediation/pass-server-text.ts'
import { BatchAnswers } from '../messages/batch-answers.ts'
import type { JsonObject, JsonValue } from '../messages/json.ts'
import { DeclaredLists, type FilteredList } from '../messages/list-changes.ts'
import { ListPages } from '../messages/list-pages.ts'
import type { Log } from '../messages/log.ts'
import type { LostText } from '../messages/lost-text.ts'
import { isObject } from '../messages/read-message.ts'
import { mayHaveTakenEffect, rpcError, upstreamFailed } from '../messages/rpc-error.ts'
import { describeEnd, logEnd } from '../messages/server-end.ts'
import { acknowledgedSubscription, changesFor, maxSubscriptions } from '../messages/subscriptions.ts'
import { ClientSide } from './client-side.ts'
import { readTexts } from './join-lines.ts'
import { type ServerCommand, spawnServer } from './spawn-server.ts'
import { writeLine } from './write-line.ts'

export interface StdioEdge extends ServerCommand {
  /** The server's name in policies: `mcp:<server>/<tool>`. */
  readonly server: string
  readonly guard: Guard
  readonly stdin: Readable
  readonly stdout: Writable
  readonly stderr: Writable
  readonly log: Log
  /** Aborting this signal ends the server and the edge. */
  readonly signal?: AbortSignal
  /** Maximum length of a line from the client or from the server, in bytes. */
  readonly maxRequestBytes?: number
  readonly maxResponseBytes?: number
  /**
   * How long the edge waits for the server to end after it closes the server's input, in milliseconds. After that it sends
   * SIGTERM and waits for the same time again.
   */
  readonly graceMs?: number
  /** How long open requests may take to finish after the client has closed its input, in milliseconds. */
  readonly drainMs?: number
}

/**
 * Maximum number of bytes that may wait for a server that does not read. Above this limit, the edge drops its error answers to
 * the server's requests.
 */
const maxUnreadBytes = 16 << 20

/** How long open requests may take to finish after the client has closed its input, and after a signal to stop. */
const usualDrainMs = 5000
const signalDrainMs = 500
const lookMs = 10

/** How long the edge waits for a first request if its server does not start, and for a client to read the last answers. */
const lastWaitMs = 500
const shortly = () => wait(lastWaitMs, undefined, { ref: false })

/**
 * Starts a tool server and mediates between the server and the client on stdin and stdout, until one of them ends. Returns
 * the exit code of the server, so that the program that started the edge gets the same exit code as without the edge.
 */
export async function runStdioEdge(edge: StdioEdge): Promise<number> {
  if (!isServerName(edge.server))
    throw new TypeError(
      `${JSON.stringify(edge.server)} is not a valid server name: use 1 to 64 of A-Z a-z 0-9 _ - ., and not only dots`,
    )
  const { guard, log, stdin, stdout } = edge
  const offered = new OfferedTools(guard, [edge.server])
  const child = spawnServer(edge, edge.server, edge.stderr, (line, isCut) => guard.maskLine(line, isCut))
  const own = new OwnRequests()
  const ask: AskServer = (request) => {
    client.openCalls.note([request])
    return own.ask(request, (message) => writeLine(child.stdin, JSON.stringify(message)))
  }
  const listFor = (call: JsonObject) => () => listTools(guard, ask, call)
  // A client on standard input has one session, which lasts as long as this process.
  const sessionId = `stdio-${randomUUID()}`
  const lists = new DeclaredLists()
  const { schemas } = offered.of(edge.server)
  const passage: Passage = {
    guard,
    server: edge.server,
    source: sessionId,
    log,
    pages: new ListPages(),
    lists,
    declaredArgs: (tool, call) => schemas.declaredOf(tool, sessionId, listFor(call)),
    definition: (tool) => schemas.definitionOf(tool, sessionId),
    learn: (tool, call, isNeeded) => schemas.learn(tool, sessionId, listFor(call), isNeeded),
    sessionId,
  }
  const maxResponseBytes = edge.maxResponseBytes ?? 64 << 20
  const batches = new BatchAnswers(maxResponseBytes)
  const client = new ClientSide(passage, child.stdin, stdout, batches)
  const subscriptions = new Map<string | number, readonly FilteredList[]>()
  const stopTelling = guard.onPolicyChange(() => {
    const changes = client.isInitialized ? lists.changesOf(edge.server) : []
    for (const [id, covered] of subscriptions) changes.push(...changesFor(id, covered))
    for (const change of changes) void writeLine(stdout, JSON.stringify(change))
  })
  let isStopping = false
  const stopped = Promise.withResolvers<void>()
  const signalled = Promise.withResolvers<void>()
  const stop = () => {
    isStopping = true
    stopped.resolve()
    void child.stop(edge.graceMs)
  }
  const stopBySignal = () => {
    signalled.resolve()
    // The client can send no new requests.
    stdin.destroy()
    void finish()
  }
  let isFinishing = false
  /** Waits until open requests finish or the drain time ends, and then stops the server. A signal makes the drain time shorter. */
  const finish = async () => {
    if (isFinishing) return
    isFinishing = true
    const gone = new AbortController()
    const inTime = (ms: number) => wait(ms, undefined, { signal: gone.signal }).catch(() => {})
    const calm = async () => {
      await fromClient
      while (!client.openCalls.isCalm && !gone.signal.aborted) await wait(lookMs)
    }
    const tooLate = [inTime(edge.drainMs ?? usualDrainMs), signalled.promise.then(() => inTime(signalDrainMs))]
    await Promise.race([calm(), ...tooLate])
    gone.abort()
    stop()
  }
  edge.signal?.addEventListener('abort', stopBySignal)
  stdout.once('error', stop)

  let isOver = false
  const fromServer = relayServer()
  const fromClient = client.relay(stdin, edge.maxRequestBytes ?? 4 << 20).catch((error) => {
    if (!isOver)
      log.warn({ err: error }, 'the edge could not relay the messages of the client, so it ends the tool server')
    stop()
  })
  void client.hasEnded.then(finish)
  if (edge.signal?.aborted) stopBySignal()
  const ended = await child.ended
  logEnd(passage, ended, isStopping)
  const why =
    isStopping && ended.startError === null
      ? `The edge stopped before the tool server answered. ${mayHaveTakenEffect}`
      : describeEnd(ended)
  own.close(why)
  // A client that does not read must not keep a stopped edge from ending.
  await Promise.race([fromServer, stopped.promise.then(shortly)])
  // The client learns why from the answer to its first request, which may arrive after the server ended.
  if (!isStopping) await Promise.race([client.hasAsked, fromClient, shortly()])
  isOver = true
  stopTelling()
  edge.signal?.removeEventListener('abort', stopBySignal)
  const failed = [
    ...client.openCalls.ids.map((id) => fail(id, why)),
    ...client.close().map((id) => fail(id, 'The tool server stopped before it got the request')),
  ]
  // A client that does not read must not keep the edge from ending.
  await Promise.race([Promise.all(failed), shortly()])
  stdin.destroy()
  await Promise.race([fromClient, shortly()])
  return ended.code

  /** Answers a request in place of the server. */
  async function fail(id: JsonValue, reason: string): Promise<void> {
    const error = rpcError(id, upstreamFailed, reason)
    if (own.take(error)) return
    const text = JSON.stringify(error)
    const batch = batches.take(error, text)
    if (batch !== null) await writeLine(stdout, batch === false ? text : batch)
  }

  async function relayServer(): Promise<void> {
    try {
      for await (const text of readTexts(child.stdout, maxResponseBytes)) await relayText(text)
    } catch (error) {
      log.warn({ err: error }, 'the edge could not relay the messages of the tool server, so it ends the tool server')
      stop()
    }
  }

  async function relayText(line: string | LostText): Promise<void> {
    if (typeof line === 'string' && line.trim() === '') return
    const onOffer = (tools: readonly OfferedTool[]) => offered.note(passage, tools)
    const mayPass = passServerText(line, passage, onOffer, (answer) => client.handshakes.take(answer), client.openCalls)
    const passed = await inspectServerText(mayPass, passage, client.openCalls)
    if (passed === null) return
    const messages = passed.messages.filter((message) => !own.take(message))
    for (const message of messages) followSubscriptions(message)
    const gathered: string[] = []
    const others = messages.filter((message) => {
      const batch = batches.has(message) && batches.take(message, textOf(message, passed))
      if (batch) gathered.push(batch)
      return batch === false
    })
    if (others.length === passed.messages.length && passed.text !== null) await writeLine(stdout, passed.text)
    else if (others.length > 0) await writeLine(stdout, writeJson(others, passed.numbers))
    for (const batch of gathered) await writeLine(stdout, batch)
    // Does not wait for these writes. Otherwise a server that does not read its input would stop the loop that reads its
    // output.
    for (const error of passed.replies) {
      if (child.stdin.writableLength < maxUnreadBytes) void writeLine(child.stdin, JSON.stringify(error))
    }
  }

  /** Keeps the text of the server if it is one message. */
  function textOf(message: JsonObject, { text, messages, numbers }: ServerText): string {
    const isWhole = messages.length === 1 && text?.trimStart().startsWith('{') === true
    return isWhole ? (text as string).trim() : writeJson(message, numbers)
  }

  function followSubscriptions(message: JsonValue): void {
    const acknowledged = acknowledgedSubscription(message)
    if (acknowledged !== null && subscriptions.size < maxSubscriptions)
      subscriptions.set(acknowledged.id, acknowledged.lists)
    else if (isObject(message) && message.method === undefined) subscriptions.delete(message.id as string | number)
  }
}
