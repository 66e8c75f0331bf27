import Duet
import DuetContext
import Foundation
import Synchronization

/// Sends one queued command with the wrapped dispatcher, again and again until that succeeds or the command has failed.
///
/// It is in the place of the wrapped dispatcher while the rules of the command are carried out.
struct SendingDispatcher: Dispatcher {
    let queue: CommandQueue
    let number: Int
    let base: any Dispatcher
    let key: String

    func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        queue.noteStart(of: number)
        return try await queue.send(number) {
            try await withIdempotencyKey(key) { try await base.dispatch(message) }
        }
    }
}

extension CommandQueue {
    /// Carries out the dispatch of a command, and removes the command if it was sent.
    ///
    /// It is removed after its rules have been carried out: a reader that finds it gone finds no stale value, and if
    /// the process ends before, the next launch sends the command and carries out the rules again.
    func run(_ number: Int, _ body: Run, _ next: SendingDispatcher, _ cache: QueryCache) async {
        await body(next, cache)
        // The rules may have ended before the dispatch.
        noteStart(of: number)
        guard let command = state.withLock({ $0.sent[number] }) else { return }
        await removeSent(command)
        update { state in
            state.sent[number] = nil
            state.order.remove(number)
            state.order.endAttempt(of: number)
            state.entries.removeAll { $0.number == number }
        }
    }

    /// Attempts to send a command until it was sent or has failed.
    ///
    /// A command that was sent keeps its turn until its rules have been carried out.
    ///
    /// - Throws: The permanent error, or `CancellationError` if the command was dropped or the dispatcher is gone.
    fileprivate func send<Value>(_ number: Int, _ attempt: () async throws -> Value) async throws -> Value {
        while true {
            let command = try await turn(of: number)
            do {
                let value = try await attempt()
                state.withLock { $0.sent[number] = command }
                return value
            } catch  where Task.isCancelled {
                update { $0.order.endAttempt(of: number) }
                throw CancellationError()
            } catch {
                guard error is CancellationError || isTemporary(error) else {
                    await fail(number, command, reason: "\(error)")
                    throw error
                }
                await wait(number, command, reason: "\(error)")
            }
        }
    }

    /// Waits until it is a command's turn, and begins its attempt.
    private func turn(of number: Int) async throws -> QueuedCommand {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let isWaiting = update { state in
                    guard !Task.isCancelled, let index = state.index(of: number) else { return false }
                    state.entries[index].turn = continuation
                    state.order.noteReady(number)
                    return true
                }
                if !isWaiting { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            update { state in state.index(of: number).flatMap { state.entries[$0].turn.take() } }?
                .resume(throwing: CancellationError())
        }
        let command = state.withLock { state in state.index(of: number).map { state.entries[$0].command } }
        guard let command else {
            // It was dropped in between.
            update { $0.order.endAttempt(of: number) }
            throw CancellationError()
        }
        return command
    }

    private func fail(_ number: Int, _ command: QueuedCommand, reason: String) async {
        await store(command, failure: reason)
        update { state in
            state.order.remove(number)
            state.order.endAttempt(of: number)
            state.change(number) { entry in
                entry.command.state = .failed(reason: reason)
                entry.task = nil
            }
        }
    }

    /// Waits after a temporary error, until the delay is over or was ended.
    private func wait(_ number: Int, _ command: QueuedCommand, reason: String) async {
        await store(command, failure: nil)
        let failures = state.withLock { state in
            state.index(of: number).map { index in
                state.entries[index].failures += 1
                return state.entries[index].failures
            }
        }
        let delay = delays.delay(afterAttempt: failures ?? 1, random: random())
        // A task that already sleeps when the list shows the delay, so that no end of the delay is lost.
        let sleep = Task.detached { [clock] in
            // Its cancellation is the end of the delay.
            try? await clock.sleep(for: delay)
        }
        update { state in
            state.order.endAttempt(of: number)
            state.change(number) { entry in
                entry.command.state = .waiting(until: now() + delay.inSeconds, reason: reason)
                entry.endDelay = { sleep.cancel() }
            }
        }
        await withTaskCancellationHandler {
            await sleep.value
        } onCancel: {
            sleep.cancel()
        }
        update { state in
            state.change(number) { entry in
                entry.command.state = .waiting(until: nil, reason: reason)
                entry.endDelay = nil
            }
        }
    }
}
