import type { Auth } from 'firebase-admin/auth'

/** The settings of a Google Cloud project with Identity Platform or Firebase Authentication. */
export type IdentityPlatformProject = {
  projectId: string
  /** The web API key of the project, which the password endpoint needs. */
  apiKey: string
  /** A service account key as JSON text. Without it, the SDK uses the machine's default credentials. */
  serviceAccount?: string | undefined
  /**
   * The `host:port` of an Auth emulator. The SDK reads the variable FIREBASE_AUTH_EMULATOR_HOST, which must have the same
   * value.
   */
  emulatorHost?: string | undefined
}

/** Connects at the first use, so that the SDK is not loaded if it is not needed. */
export function connectLazily(project: IdentityPlatformProject): () => Promise<Auth> {
  let connected: Promise<Auth> | undefined
  return () => {
    connected ??= connect(project)
    return connected
  }
}

async function connect({ projectId, serviceAccount, emulatorHost }: IdentityPlatformProject): Promise<Auth> {
  const { applicationDefault, cert, getApps, initializeApp } = await import('firebase-admin/app')
  const { getAuth } = await import('firebase-admin/auth')
  const name = `mandate-${projectId}`
  const known = getApps().find((app) => app.name === name)
  if (known) return getAuth(known)
  const credential = serviceAccount ? cert(JSON.parse(serviceAccount)) : applicationDefault()
  return getAuth(initializeApp(emulatorHost ? { projectId } : { projectId, credential }, name))
}
