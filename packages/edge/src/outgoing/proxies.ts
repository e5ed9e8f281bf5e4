import type { Agent, AgentOptions } from 'node:http'
import { BlockList, isIP, isIPv6 } from 'node:net'
import { domainToASCII } from 'node:url'

type Environment = Readonly<Record<string, string | undefined>>

/** The proxies of a process. */
export interface Proxies {
  /** By the protocol of the target, as Node's `proxyEnv`. */
  readonly addresses: { readonly http_proxy?: string; readonly https_proxy?: string }
  isDirect(url: URL): boolean
  /** Returns the error for a request to this URL if the request needs a SOCKS proxy. Returns undefined for all other requests. */
  refusalOf(url: URL): Error | undefined
}

/**
 * Reads `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`, in capitals or not, as curl does. Requests to this machine never go through
 * a proxy, because they carry keys to an edge or a server on it. A SOCKS proxy is refused at the first request that would use it, because desktops
 * set ALL_PROXY for all programs. Returns undefined if there is no proxy.
 * @throws Error that names a variable that is not the address of a proxy
 */
export function readProxies(environment: Environment): Proxies | undefined {
  const entries = (variable(environment, 'no_proxy') ?? '').split(/[\s,]+/).filter(Boolean)
  if (entries.includes('*')) return undefined
  const addresses: Record<string, string> = {}
  const refusals = new Map<string, string>()
  for (const protocol of ['http', 'https']) {
    const name = [`${protocol}_proxy`, 'all_proxy'].find((each) => variable(environment, each)?.trim())
    if (name === undefined) continue
    const address = addressOf(environment, name)
    addresses[`${protocol}_proxy`] = address ?? refused
    if (address === undefined) refusals.set(`${protocol}:`, `${name.toUpperCase()} ${isSocks}`)
  }
  if (Object.keys(addresses).length === 0) return undefined
  const tests = [...thisMachine, ...entries].map(testOf)
  const isDirect = (url: URL) => {
    const port = url.port || (url.protocol === 'https:' ? '443' : '80')
    const host = bare(url.hostname)
    return tests.some((test) => test(host, port))
  }
  return {
    addresses,
    isDirect,
    refusalOf(url) {
      const text = refusals.get(url.protocol)
      return text === undefined || isDirect(url) ? undefined : new Error(text)
    },
  }
}

const isSocks = 'is a SOCKS proxy, which Mandate does not support; set HTTPS_PROXY and HTTP_PROXY'
/** Takes the place of a SOCKS proxy. No host has this name, so no request reaches its target without the proxy. */
const refused = 'http://socks-proxy.invalid'

const thisMachine = ['localhost', '127.0.0.0/8', '0.0.0.0', '::1', '::']

const variable = (environment: Environment, name: string) => environment[name] || environment[name.toUpperCase()]

/** The address of a proxy, or undefined for a SOCKS proxy. @throws Error if the variable is not the address of a proxy */
function addressOf(environment: Environment, name: string): string | undefined {
  const value = variable(environment, name)?.trim() ?? ''
  if (/^socks\w*:\/\//i.test(value)) return undefined
  // As for curl, an address without a protocol is one of HTTP.
  const address = value.includes('://') ? value : `http://${value}`
  if (!isProxyAddress(address))
    throw new Error(`${name.toUpperCase()} is not the address of a proxy, such as http://proxy.example.com:3128`)
  // Node uses no proxy if the protocol is in capitals.
  return address.replace(/^https?:/i, (protocol) => protocol.toLowerCase())
}

function isProxyAddress(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, username, password } = new URL(address)
  try {
    // Node decodes the user and the password.
    decodeURIComponent(username + password)
  } catch {
    return false
  }
  return /^https?:$/.test(protocol)
}

/** The host of a URL without brackets and without the dot at the end of a full name, in small letters. */
const bare = (host: string) =>
  host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')

/** A test of one entry of `NO_PROXY`: a name with its subdomains, an address, a network or a range, each with a port or without. */
function testOf(entry: string): (host: string, port: string) => boolean {
  const [, inBrackets, named, wantedPort] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d+))?$/.exec(entry) ?? [null, null, entry]
  const written = bare(inBrackets ?? named ?? entry).replace(/^\*?\./, '')
  // The host of a URL is in Punycode. The function would cut the mask of a network.
  const name = (/\P{ASCII}/u.test(written) && domainToASCII(written)) || written
  const isPort = (port: string) => wantedPort === undefined || wantedPort === port
  const addresses = addressesOf(name)
  if (addresses) return (host, port) => isIP(host) !== 0 && addresses.check(host, familyOf(host)) && isPort(port)
  return (host, port) => (host === name || host.endsWith(`.${name}`)) && isPort(port)
}

const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4')

function addressesOf(text: string): BlockList | undefined {
  const list = new BlockList()
  const [, first = text, sign, last = ''] = /^([\da-f.:]+)([/-])([\da-f.:]+)$/.exec(text) ?? []
  if (!isIP(first)) return undefined
  try {
    if (sign === '/') list.addSubnet(first, Number(last), familyOf(first))
    else if (sign === '-') list.addRange(first, last, familyOf(first))
    else list.addAddress(first, familyOf(first))
    return list
  } catch {
    return undefined
  }
}

let used: Proxies | undefined

/** Makes every later `agentFor` use these proxies. */
export function setProxies(proxies: Proxies | undefined): void {
  used = proxies
}

/** Whether the process has proxies and uses none for the URL. */
export function bypassesProxies(url: URL): boolean {
  return used?.isDirect(url) ?? false
}

/** Returns the error for a request to this URL if the request needs a SOCKS proxy. Returns undefined for all other requests. */
export function proxyRefusal(url: URL): Error | undefined {
  return used?.refusalOf(url)
}

/** Creates an agent for requests to the URL. They go through the proxy if the URL needs one. If it is a SOCKS proxy, they fail. */
export function agentFor(url: URL, options: AgentOptions = {}): Agent {
  // Not imported, because node:http loads `fetch`, which takes as long as the start of Node.
  const { Agent } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http')
  const refusal = proxyRefusal(url)
  const agent = new Agent({ ...options, ...(used && !refusal && !used.isDirect(url) && { proxyEnv: used.addresses }) })
  if (refusal)
    agent.createConnection = (_options, done) => {
      done?.(refusal, undefined as never)
      return undefined
    }
  return agent
}
