import type { Readable } from 'node:stream'
import type { EdgeActor } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { EdgeStream } from './edge-stream.ts'
import { edgesOf, reserveStream } from './open-streams.ts'

/**
 * Opens a stream to an edge. It tells each change that is committed after this function resolves. `keyDigest` is the digest of the caller's
 * key.
 * @throws 429 for too many open streams, 503 while the server stops
 */
export async function streamToEdge(
  { services, actor }: Ctx<EdgeActor>,
  keyDigest: Buffer,
  instanceId: string | undefined,
): Promise<Readable> {
  const release = reserveStream(services, actor)
  let stream: EdgeStream | undefined
  try {
    const edges = await edgesOf(services, actor.tenantId)
    const onClosed = () => {
      edges.remove(opened)
      release()
    }
    const { edge: metrics } = services.metrics.streams
    const opened = new EdgeStream({ actor, keyDigest, instanceId, metrics, onClosed })
    stream = opened
    opened.send(': connected\n\n')
    await edges.add(opened)
    return opened.response
  } catch (error) {
    stream?.response.destroy()
    release()
    throw error
  }
}
