import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { guard } from './guard.ts'
import { type Reply, serve } from './testing/serve.ts'
import { ApprovalRequired, EdgeUnavailable, ToolDenied } from './tool-errors.ts'

const tool = 'fn:billing/refund'
const rule = { id: 'r1', name: 'large refunds' }
const allow = { decision_id: 'd1', verdict: 'allow', enforced: true, rule: null, reason: '' }
const deny = { ...allow, verdict: 'deny', rule, reason: 'too much' }
const held = (approval_id = 'a1', expires_at = '2999-01-01T00:00:00.000Z') => ({
  ...allow,
  verdict: 'require_approval',
  rule,
  reason: 'ask first',
  approval: { approval_id, expires_at },
})

/** Starts an edge that returns the given responses in order, and creates a guarded function that records its runs. */
async function setUp(bodies: unknown[], options = {}) {
  const edge = await serve((_, count): Reply => {
    const body = bodies[Math.min(count, bodies.length) - 1]
    return (body as { status?: number }).status === undefined ? { status: 200, body } : (body as Reply)
  })
  const ran: unknown[] = []
  const refund = async (args: { amount: number }) => {
    ran.push(args)
    return `refunded ${args.amount}`
  }
  const asked = () =>
    edge.received.map(({ body }) => {
      const { mediation_point, ...question } = JSON.parse(body)
      expect(mediation_point).toBe('sdk.guard')
      return question
    })
  return { edge, ran, asked, guarded: guard(tool, refund, { edgeUrl: edge.url, token: 'et_a', pollMs: 1, ...options }) }
}

describe('a guarded function', () => {
  test('runs with its arguments after the edge allows it, and returns its result', async () => {
    const { guarded, ran, asked, edge } = await setUp([allow])
    expect(await guarded({ amount: 5 })).toBe('refunded 5')
    expect(ran).toEqual([{ amount: 5 }])
    expect(asked()).toEqual([{ tool, args: { amount: 5 }, redacts: true }])
    expect(edge.received[0]).toMatchObject({
      method: 'POST',
      url: '/edge/v1/decide',
      headers: { authorization: 'Bearer et_a' },
    })
  })

  test('does not run if denied, and the error has the reason, the rule and the decision', async () => {
    const { guarded, ran } = await setUp([deny])
    const error = await guarded({ amount: 5 }).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ToolDenied)
    expect(error).toMatchObject({ tool, reason: 'too much', rule, decisionId: 'd1', page: undefined })
    expect(ran).toEqual([])
  })

  test.each([deny, held()])('the error names the page about the decision, if the edge names it', async (decision) => {
    const page = 'https://mandate.example/decisions/d1'
    const { guarded } = await setUp([{ ...decision, page }])
    const error = await guarded({ amount: 5 }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      page,
      message: expect.stringMatching(/\. See https:\/\/mandate\.example\/decisions\/d1$/),
    })
  })

  test('runs in monitor mode with every verdict', async () => {
    for (const verdict of [deny, held()]) {
      const { guarded } = await setUp([{ ...verdict, enforced: false }])
      expect(await guarded({ amount: 5 })).toBe('refunded 5')
    }
  })

  test('names the session and the person, also from a function that is called for each call', async () => {
    const { guarded, asked } = await setUp([held(), allow], { held: 'wait', sessionId: 's-1', onBehalfOf: 'ada' })
    await guarded({ amount: 5 })
    const named = { tool, args: { amount: 5 }, redacts: true, session_id: 's-1', on_behalf_of: 'ada' }
    expect(asked()).toEqual([named, { ...named, approval_id: 'a1', wait_ms: 1 }])
    const people = ['ada', undefined]
    const varied = await setUp([allow], { onBehalfOf: () => people.shift() })
    await varied.guarded({ amount: 5 })
    await varied.guarded({ amount: 6 })
    expect(varied.asked()).toEqual([
      { tool, args: { amount: 5 }, on_behalf_of: 'ada', redacts: true },
      { tool, args: { amount: 6 }, redacts: true },
    ])
  })

  test('rethrows the function’s error', async () => {
    const { edge } = await setUp([allow])
    const failing = guard(tool, () => Promise.reject(new RangeError('no money')), { edgeUrl: edge.url })
    await expect(failing()).rejects.toThrow(RangeError)
  })
})

describe('a held call', () => {
  test('throws an error with the required approval', async () => {
    const { guarded, ran } = await setUp([held()])
    const error = await guarded({ amount: 5 }).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ApprovalRequired)
    expect(error).toMatchObject({ approvalId: 'a1', expiresAt: new Date('2999-01-01'), rule, reason: 'ask first' })
    expect(ran).toEqual([])
  })

  test('waits, repeats the request with the approval’s id, and runs after approval', async () => {
    const { guarded, asked } = await setUp([held(), held(), allow], { held: 'wait' })
    expect(await guarded({ amount: 5 })).toBe('refunded 5')
    const again = { tool, args: { amount: 5 }, redacts: true, approval_id: 'a1', wait_ms: 1 }
    expect(asked()).toEqual([{ tool, args: { amount: 5 }, redacts: true }, again, again])
  })

  test('keeps waiting while the edge is temporarily unreachable', async () => {
    const { guarded } = await setUp([held(), { status: 0 }, { status: 500 }, allow], { held: 'wait' })
    expect(await guarded({ amount: 5 })).toBe('refunded 5')
  })

  test('throws if the approval is rejected, expires, or is replaced by another approval', async () => {
    const rejected = await setUp([held(), deny], { held: 'wait' })
    await expect(rejected.guarded({ amount: 5 })).rejects.toThrow(ToolDenied)
    const expired = await setUp([held('a1', '2020-01-01T00:00:00.000Z')], { held: 'wait' })
    await expect(expired.guarded({ amount: 5 })).rejects.toThrow(ApprovalRequired)
    const replaced = await setUp([held('a1'), held('a2')], { held: 'wait' })
    await expect(replaced.guarded({ amount: 5 })).rejects.toMatchObject({ approvalId: 'a1' })
    for (const { ran } of [rejected, expired, replaced]) expect(ran).toEqual([])
  })

  test('stops waiting when the caller’s signal is aborted', async () => {
    const stop = new AbortController()
    const { guarded, edge, ran } = await setUp([held()], { held: 'wait', pollMs: 60_000, signal: stop.signal })
    const call = guarded({ amount: 5 })
    const refused = expect(call).rejects.toThrow('enough')
    while (edge.received.length === 0) await new Promise(setImmediate)
    stop.abort(new Error('enough'))
    await refused
    expect(ran).toEqual([])
  })
})

describe('does not run without a valid decision', () => {
  test.each([
    ['a refusal', { status: 403, body: allow }],
    ['a redirect', { status: 302, headers: { location: '/allow' } }],
    ['a broken connection', { status: 0 }],
    ['an empty answer', { status: 200 }],
    ['null', { status: 200, body: null }],
    ['an unknown verdict', { ...allow, verdict: 'ALLOW' }],
    ['no verdict', { ...allow, verdict: undefined }],
    ['a missing enforced field', { ...deny, enforced: undefined }],
    ['an enforced field that is not a boolean', { ...deny, enforced: 'false' }],
    ['a held call without an approval', { ...held(), approval: undefined }],
    ['an approval without expires_at', { ...held(), approval: { approval_id: 'a1' } }],
  ])('%s', async (_, body) => {
    const { guarded, ran } = await setUp([body], { held: 'wait' })
    await expect(guarded({ amount: 5 })).rejects.toThrow(EdgeUnavailable)
    expect(ran).toEqual([])
  })

  test('an edge that is unreachable or too slow', async () => {
    const away = await setUp([allow])
    await away.edge.stop()
    await expect(away.guarded({ amount: 5 })).rejects.toThrow(EdgeUnavailable)
    const slow = await setUp([{ status: 200, hang: true }], { timeoutMs: 20 })
    await expect(slow.guarded({ amount: 5 })).rejects.toThrow('did not answer within 20 ms')
    expect([...away.ran, ...slow.ran]).toEqual([])
  })

  test('names NO_PROXY if Node sends requests to this machine to a proxy', async () => {
    onTestFinished(() => void vi.unstubAllEnvs())
    const hint = /; NODE_USE_ENV_PROXY=1 also sends .* so set NO_PROXY=localhost,127\.0\.0\.1,\[::1\]$/
    const [away, refused] = [await setUp([allow]), await setUp([{ status: 502 }])]
    await away.edge.stop()
    for (const { guarded } of [away, refused]) {
      const failure = () => guarded({ amount: 5 }).catch(({ message }: Error) => message)
      expect(await failure()).not.toMatch(hint)
      vi.stubEnv('NODE_USE_ENV_PROXY', '1')
      expect(await failure()).toMatch(hint)
      vi.stubEnv('NO_PROXY', 'localhost,127.0.0.1,[::1]')
      expect(await failure()).not.toMatch(hint)
      vi.unstubAllEnvs()
    }
  })
})

describe('the decided arguments', () => {
  test('are used for the run, even if the caller changes them during the decision', async () => {
    const args = { amount: 5, to: { name: 'Ada' } }
    const edge = await serve(() => {
      args.amount = 5_000
      args.to.name = 'Eve'
      return { status: 200, body: allow }
    })
    const ran: unknown[] = []
    const guarded = guard(tool, async (given: typeof args) => void ran.push(given), { edgeUrl: edge.url })
    await guarded(args)
    expect(ran).toEqual([{ amount: 5, to: { name: 'Ada' } }])
    expect(edge.received.map(({ body }) => JSON.parse(body).args)).toEqual(ran)
  })

  test('must not be an object whose JSON differs from its properties, which is rejected without asking the edge', async () => {
    const { guarded, ran, asked } = await setUp([allow])
    let reads = 0
    const liars: [object, string][] = [
      [{ amount: 5_000, toJSON: () => ({ amount: 5 }) }, 'the parameter of fn:billing/refund.toJSON is a function'],
      [
        new (class Refund {
          amount = 5_000
          toJSON() {
            return { amount: 5 }
          }
        })(),
        'is a Refund',
      ],
      [
        {
          get amount() {
            reads++
            return reads > 1 ? 5_000 : 5
          },
        },
        '.amount is a getter',
      ],
    ]
    for (const [liar, error] of liars) await expect(guarded(liar as never)).rejects.toThrow(error)
    expect({ reads, ran, asked: asked() }).toEqual({ reads: 0, ran: [], asked: [] })
  })

  test('are read from a proxy only once, so the decision and the run use the same values', async () => {
    let reads = 0
    const proxy = new Proxy(
      { amount: 5 },
      {
        get: () => 5_000,
        getOwnPropertyDescriptor: (target, key) => ({
          ...Reflect.getOwnPropertyDescriptor(target, key),
          value: ++reads > 2 ? 5_000 : 5,
          configurable: true,
          enumerable: true,
        }),
      },
    )
    const { guarded, ran, asked } = await setUp([allow])
    await guarded(proxy)
    expect(ran).toEqual(asked().map(({ args }) => args))
  })

  test('do not change if the `args` function changes its parameters', async () => {
    const { edge } = await setUp([allow])
    const args = (order: { amount: number }) => {
      const seen = { amount: order.amount }
      order.amount = 5_000
      return seen
    }
    const guarded = guard(tool, async (order: { amount: number }) => order.amount, { edgeUrl: edge.url, args })
    expect(await guarded({ amount: 5 })).toBe(5)
  })

  test('omit an optional parameter that is undefined', async () => {
    const { edge } = await setUp([allow])
    const pay = async (to: string, note?: string) => `${to} ${note}`
    const guarded = guard(tool, pay, { edgeUrl: edge.url, args: (to, note) => ({ to, note }) })
    expect(await guarded('Ada', undefined)).toBe('Ada undefined')
    expect(JSON.parse(edge.received.at(-1)?.body ?? '').args).toEqual({ to: 'Ada' })
  })

  test('need the `args` option, unless the function takes one object', async () => {
    const { edge, asked } = await setUp([allow])
    const edgeUrl = edge.url
    const pay = async (to: string, amount: number) => `${to} ${amount}`
    await expect(guard(tool, pay, { edgeUrl })('Ada', 5)).rejects.toThrow('`args`')
    await expect(guard(tool, async (list: string[]) => list, { edgeUrl })(['a'])).rejects.toThrow('`args`')
    expect(asked()).toEqual([])
    const named = guard(tool, pay, { edgeUrl, args: (to, amount) => ({ to, amount }) })
    expect(await named('Ada', 5)).toBe('Ada 5')
    expect(await guard(tool, async () => 'none', { edgeUrl })()).toBe('none')
    expect(asked()).toEqual([
      { tool, args: { to: 'Ada', amount: 5 } },
      { tool, args: {}, redacts: true },
    ])
  })

  test('are replaced by the redacted ones of the edge, if the function takes one object', async () => {
    const redacted = { ...allow, args: { amount: 5, note: '[redacted:JWT]' } }
    const { guarded, ran } = await setUp([redacted])
    await guarded({ amount: 5, note: 'secret' } as never)
    expect(ran).toEqual([{ amount: 5, note: '[redacted:JWT]' }])
  })

  test('rejects a tool name that no policy can match', () => {
    for (const bad of ['refund', 'mcp:a/b', 'fn:a', 'fn:a/*', 'fn:a/b/c', 'fn:a/b c'])
      expect(() => guard(bad, async () => {})).toThrow(TypeError)
  })
})
