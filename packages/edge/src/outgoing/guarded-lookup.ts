import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { mayConnectTo } from './address.ts'

/** Thrown if a connection or a response is refused. No part of the response is used then. */
export class UnsafeAddress extends Error {}

/** Returns a look-up of host names that gives only addresses to which a connection may be opened. */
export function guardedLookup(privateAllowed: boolean): LookupFunction {
  return (hostname, options, done) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return done(error, '')
      const allowed = found.filter(({ address }) => mayConnectTo(address, privateAllowed))
      const [first] = allowed
      if (!first) return done(new UnsafeAddress(), '')
      if (options.all) done(null, allowed)
      else done(null, first.address, first.family)
    })
  }
}
