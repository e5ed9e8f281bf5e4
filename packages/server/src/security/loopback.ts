import { loopbackNames } from '@mandate/contract/words/loopback-names'

/**
 * True if the host of the URL is this machine. Plain http is then as safe as https, because no other machine can read the
 * traffic.
 */
export function isLoopback({ hostname }: URL): boolean {
  return loopbackNames.has(hostname)
}
