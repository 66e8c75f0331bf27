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

    private let made = Published<Made>()
    private let state = Mutex(Making())

    /// The value, or nil before it was made.
    @inline(__always)
    var value: Value? { made.read { $0.value } }

    /// The value, which is made now unless it was made before or is being made.
    ///
    /// - Throws: What `make` throws; `CancellationError` when the task is cancelled while it waits; ``ResolutionError`` when
    ///   waiting would never end.
    func value(name: String, make: () async throws -> Value) async throws -> Value {
        let dependent = Construction.shared
        while true {
            if let value { return value }
            let mine = Construction(name)
            let current = state.withLock { state -> Construction? in
                guard made.object == nil else { return nil }
                let construction = state.construction ?? mine
                state.construction = construction
                return construction
            }
            guard let current else { continue }
            try dependent?.beginNeeding(current)
            defer { dependent?.endNeeding(current) }
            if current === mine { return try await self.make(mine, make) }
            switch await outcome(of: current) {
            case .ended: continue
            case .cancelled: throw CancellationError()
            case .failed(let error) where error is CancellationError: try Task.checkCancellation()
            case .failed(let error): throw error
            }
        }
    }

    private func make(_ construction: Construction, _ make: () async throws -> Value) async throws -> Value {
        do {
            let value = try await construction.run(make)
            made.publish(Made(value))
            end(.ended)
            return value
        } catch {
            // What fails when it is cancelled often tells so in an error of its own.
            end(.failed(Task.isCancelled ? CancellationError() : error))
            throw error
        }
    }

    private func end(_ outcome: Outcome) {
        let waiters = state.withLock { state in
            state.construction = nil
            defer { state.waiters = [:] }
            return state.waiters.values
        }
        for waiter in waiters { waiter.resume(returning: outcome) }
    }

    /// Waits until who makes the value has ended.
    private func outcome(of construction: Construction) async -> Outcome {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let early: Outcome? = state.withLock { state in
                    if Task.isCancelled { return .cancelled }
                    if state.construction !== construction { return .ended }
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

// Not nested in `Once`: the metadata of what is nested in a generic type is looked up at each use.

/// How waiting for a value ended.
private enum Outcome {
    case ended
    case failed(any Error)
    case cancelled
}

/// Who makes a value, and who waits for it.
private struct Making {
    /// The making of the value, while that goes on.
    var construction: Construction?
    var nextID = 0
    var waiters: [Int: CheckedContinuation<Outcome, Never>] = [:]
}
