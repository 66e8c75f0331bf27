import Synchronization

/// One value that any number of tasks ask for and one of them makes; the others wait, and no lock is held meanwhile.
///
/// A failure is told to those who waited, and is not kept: who asks next tries again. A cancellation concerns the task that
/// was cancelled alone: if that was the one that made the value, one of those who wait takes over.
final class Once<Value: Sendable>: Sendable {
    private final class Made: Sendable {
        let value: Value

        init(_ value: Value) {
            self.value = value
        }
    }

    private enum Outcome {
        case made
        case failed(any Error)
        case cancelled
    }

    private struct State {
        var isMaking = false
        var nextID = 0
        var waiters: [Int: CheckedContinuation<Outcome, Never>] = [:]
    }

    private let made = Published<Made>()
    private let state = Mutex(State())

    /// The value, or nil before it was made.
    @inline(__always)
    var value: Value? { made.read { $0.value } }

    /// The value, which is made now unless it was made before or is being made.
    ///
    /// - Throws: What `make` throws; `CancellationError` when the task is cancelled while it waits; ``ResolutionError`` when
    ///   waiting would never end.
    func value(
        name: String,
        constructions: Constructions,
        make: () async throws -> Value
    ) async throws -> Value {
        let id = ObjectIdentifier(self)
        let dependent = try constructions.beginNeeding(id, name)
        defer { constructions.endNeeding(id, by: dependent) }
        while true {
            if let value { return value }
            let isMine = state.withLock { state in
                if state.isMaking || made.object != nil { return false }
                state.isMaking = true
                return true
            }
            if isMine {
                do {
                    let value = try await Construction.run(id, name, isShared: true, make: make)
                    made.publish(Made(value))
                    end(.made)
                    return value
                } catch {
                    // What fails when it is cancelled often tells so in an error of its own.
                    end(.failed(Task.isCancelled ? CancellationError() : error))
                    throw error
                }
            }
            switch await outcome() {
            case .made: continue
            case .cancelled: throw CancellationError()
            case .failed(let error) where error is CancellationError: try Task.checkCancellation()
            case .failed(let error): throw error
            }
        }
    }

    private func end(_ outcome: Outcome) {
        let waiters = state.withLock { state in
            state.isMaking = false
            defer { state.waiters = [:] }
            return state.waiters.values
        }
        for waiter in waiters { waiter.resume(returning: outcome) }
    }

    /// Waits until who makes the value has ended.
    private func outcome() async -> Outcome {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let early: Outcome? = state.withLock { state in
                    if Task.isCancelled { return .cancelled }
                    if !state.isMaking { return .made }
                    state.waiters[id] = continuation
                    return nil
                }
                if let early { continuation.resume(returning: early) }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: id) }?.resume(returning: .cancelled)
        }
    }
}
