import { runServer } from '../boot/run.ts'

/** Starts the server and ends with it. */
export async function up(): Promise<void> {
  await runServer()
}
