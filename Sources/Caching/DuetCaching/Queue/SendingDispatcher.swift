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
        try await queue.send(number) {
            try await withIdempotencyKey(key) { try await base.dispatch(message) }
        }
    }
}

/// The error of a command that another queue has sent or dropped.
struct EndedElsewhere: Error {}

extension CommandQueue {
    /// Carries out the dispatch of a command, and removes the command if it was sent.
    ///
    /// It is removed after its rules have been carried out: a reader that finds it gone finds no stale value, and if
    /// the process ends before, the next launch sends the command and carries out the rules again.
    func run(_ number: Int, _ body: Run, _ next: SendingDispatcher, _ cache: QueryCache) async {
        await body(next, cache)
        if state.withLock({ $0.withdrawing.contains(number) }) { update { $0.withdrawing.remove(number) } }
        // The rules may have ended before the dispatch.
        noteStart(of: number)
        let (command, isGone) = state.withLock { ($0.sent[number], $0.entries[number]?.isGone ?? false) }
        if let command {
            await removeSent(command)
        } else if !isGone {
            return
        }
        update { state in
            state.sent[number] = nil
            state.order.remove(number)
            state.order.endAttempt(of: number)
            state.entries[number] = nil
        }
    }

    /// Attempts to send a command until it was sent or has failed.
    ///
    /// A command that was sent keeps its turn until its rules have been carried out.
    ///
    /// - Throws: The permanent error, ``CommandExpired``, ``EndedElsewhere``, or `CancellationError` if the command was
    ///   dropped, has failed in another queue, or the dispatcher is gone.
    fileprivate func send<Value>(_ number: Int, _ attempt: () async throws -> Value) async throws -> Value {
        while true {
            let command: QueuedCommand
            do {
                command = try await turn(of: number)
            } catch let error as CommandExpired {
                await fail(number, error)
                throw error
            }
            do {
                let value = try await attempt()
                update { state in
                    state.sent[number] = command
                    state.noteResponse()
                }
                return value
            } catch  where Task.isCancelled {
                update { $0.order.endAttempt(of: number) }
                throw CancellationError()
            } catch {
                let advice = error as? any TemporaryError
                guard error is CancellationError || isTemporary(error) || advice?.needsSignIn == true else {
                    update { $0.noteResponse() }
                    await fail(number, error)
                    throw error
                }
                await wait(number, error, advice)
            }
        }
    }

    /// Waits until it is a command's turn, and begins its attempt.
    private func turn(of number: Int) async throws -> QueuedCommand {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: Turn) in
                let early: (any Error)? = update { state in
                    guard !Task.isCancelled, let entry = state.entries[number], !entry.command.isFailed else {
                        return CancellationError()
                    }
                    if entry.isGone { return EndedElsewhere() }
                    if state.claim != nil, let expiry = entry.expiry(at: now()) { return expiry }
                    state.entries[number]?.turn = continuation
                    state.order.noteReady(number)
                    return nil
                }
                if let early { continuation.resume(throwing: early) }
                noteStart(of: number)
            }
        } onCancel: {
            update { $0.entries[number]?.turn.take() }?.resume(throwing: CancellationError())
        }
        guard let command = state.withLock({ $0.entries[number]?.command }) else {
            // It was dropped in between.
            update { $0.order.endAttempt(of: number) }
            throw CancellationError()
        }
        return command
    }

    private func fail(_ number: Int, _ error: any Error) async {
        let reason = "\(error)"
        await note(number, failure: reason)
        update { state in
            if state.isRunning(number) { state.withdrawing.insert(number) }
            state.fail(number, reason: reason, error: error)
            state.order.endAttempt(of: number)
        }
    }

    /// Lets the queue pause after a temporary error, and the command wait longer if only this one fails repeatedly.
    private func wait(_ number: Int, _ error: any Error, _ advice: (any TemporaryError)?) async {
        let reason = "\(error)"
        update { state in
            guard state.isRunning(number) else { return }
            state.entries[number]?.command.error = error
            pause(&state, after: number, reason, advice)
        }
        await note(number, failure: nil)
        let sleep = update { state in
            state.order.endAttempt(of: number)
            return state.isRunning(number) ? delay(&state, of: number, reason) : nil
        }
        guard let sleep else { return }
        await withTaskCancellationHandler {
            await sleep.value
        } onCancel: {
            sleep.cancel()
        }
        update { state in
            state.entries[number]?.command.state = .waiting(until: nil, reason: reason)
            state.entries[number]?.endDelay = nil
        }
    }

    /// Begins a pause of the queue, or extends it.
    private func pause(_ state: inout State, after number: Int, _ reason: String, _ advice: (any TemporaryError)?) {
        // Attempts that fail at the same time count once.
        if state.entries[number]?.lastPause == state.lastPause { state.pauses += 1 }
        state.isProbing = true
        let delay =
            advice?.retryAfter.map { min(max(.zero, $0), Self.longestWish) + self.delay(afterFailures: 1) }
            ?? self.delay(afterFailures: state.pauses)
        let end = advice?.needsSignIn == true ? nil : now() + delay.inSeconds
        if let pause = state.pause {
            guard let present = pause.end, end.map({ $0 > present }) ?? true else { return }
        }
        state.endPause()
        state.lastPause += 1
        let timer = end.map { _ in
            Task.detached { [weak self, clock, id = state.lastPause] in
                guard (try? await clock.sleep(for: delay)) != nil else { return }
                self?.update { if $0.lastPause == id { $0.pause = nil } }
            }
        }
        state.pause = Pause(end: end, reason: reason, timer: timer)
    }

    /// Notes that a command waits, and returns its own delay, if that is longer than the pause of the queue.
    private func delay(_ state: inout State, of number: Int, _ reason: String) -> Task<Void, Never>? {
        guard var entry = state.entries[number] else { return nil }
        entry.failures += 1
        entry.command.state = .waiting(until: nil, reason: reason)
        defer { state.entries[number] = entry }
        guard entry.failures > max(1, state.pauses) else { return nil }
        let delay = self.delay(afterFailures: entry.failures)
        entry.command.state = .waiting(until: now() + delay.inSeconds, reason: reason)
        // A task that already sleeps when the list shows the delay, so that no end of the delay is lost.
        let sleep = Task<Void, Never>.detached { [clock] in
            // Its cancellation is the end of the delay.
            try? await clock.sleep(for: delay)
        }
        entry.endDelay = { sleep.cancel() }
        return sleep
    }

    /// At least half of the maximum, so that no series of short delays becomes a burst.
    private func delay(afterFailures failures: Int) -> Duration {
        delays.delay(afterAttempt: failures, random: 0.5 + random() / 2)
    }

    /// The longest `Retry-After` that is obeyed.
    private static var longestWish: Duration { .seconds(24 * 3_600) }
}
