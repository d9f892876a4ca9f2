import type { ChatRequest, ChatResponse, ChatUpdate } from '../chat/chat-client.ts'
import type { RunContext } from './run-context.ts'

/**
 * What chat middleware works with: one turn of the model. `next` asks it; a second `next` asks again. What the model
 * proposes still goes down the pipeline, whatever is changed here.
 */
export interface ChatContext extends RunContext {
  readonly kind: 'chat'
  /** The turn's number in its run, from 1. */
  readonly turn: number
  /** True when somebody listens while the model speaks. */
  readonly streaming: boolean
  /** What the model is asked. Set another one to change it; the stored conversation stays as it is. */
  request: ChatRequest
  /** The whole turn, after `next`. Set before, and without `next`, the model is not asked; set after, it takes its place. */
  result: ChatResponse | undefined
  /** The turn piece by piece, in a stream and outside of one alike. Register before `next`. */
  readonly stream: TurnStream
  /** Ends the run after this turn; calls of the turn are answered as cancelled. */
  terminate(result?: ChatResponse): void
}

/** Hooks on the pieces of a turn, in the order in which they were registered; inner middleware's first. */
export interface TurnStream {
  /** Changes each piece, or leaves it out by giving nothing back. A text comes in one or many pieces. */
  map(change: (update: ChatUpdate) => ChatUpdate | undefined): void
  /** Sees each piece as it is told. */
  tap(look: (update: ChatUpdate) => void): void
  /** Called once, when the turn is over, however it ended. One that throws fails the turn. */
  onEnd(done: () => void): void
}
