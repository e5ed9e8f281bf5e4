import { runServer } from '../boot/run.ts'

/** Runs the server until it stops. */
export async function up(): Promise<void> {
  await runServer()
}
