import Synchronization

/// A value that one task creates while other tasks wait for it, without holding a lock.
///
/// A failure reaches the waiting tasks and is not kept: the next task tries again. A cancellation affects only the
/// canceled task: if it was creating the value, one of the waiting tasks takes over.
final class Once<Value: Sendable>: Sendable {
    private let made = OnceSetReference<Made<Value>>()
    private let state = Mutex(Making())

    required init() {}

    @inline(__always)
    var value: Value? { made.read { $0.value } }

    /// Returns the value, which `maker` creates in `scope` unless it exists or another task is creating it.
    ///
    /// - Parameter mayFormCycle: Whether creating the value may wait for tasks that wait for it, in ways that
    ///   ``ContainerBuilder/build()`` does not see. Only then is the construction tracked, which costs more than most
    ///   values.
    /// - Throws: The error of `maker`; `CancellationError` if the task is canceled while it waits; ``ResolutionError``
    ///   if waiting would never end or the scope has ended.
    func value(by maker: SharedMaker<Value>, in scope: Scope, mayFormCycle: Bool) async throws -> Value {
        let parent = Construction.current
        let construction = mayFormCycle ? Construction(maker.name, parent: parent) : nil
        let dependent = parent?.shared
        while true {
            switch begin(construction) {
            case .made:
                if let value { return value }
            case .make:
                if let construction { try dependent?.beginNeeding(construction) }
                defer { if let construction { dependent?.endNeeding(construction) } }
                return try await make(by: maker, in: scope, construction)
            case .wait(let round, let other, let isCurrentTask):
                if isCurrentTask { throw ResolutionError(reason: .cycle([maker.name, maker.name])) }
                if let other { try dependent?.beginNeeding(other) }
                let outcome = await outcome(of: round)
                if let other { dependent?.endNeeding(other) }
                switch outcome {
                case .ended: continue
                case .cancelled: throw CancellationError()
                case .failed(let error) where error is CancellationError: try Task.checkCancellation()
                case .failed(let error): throw error
                }
            }
        }
    }

    /// Returns the next step of the current task, which takes over if no task is creating the value.
    private func begin(_ construction: Construction?) -> Turn {
        // Without tracking, a task that waits for itself is recognized by its identity.
        let task = construction == nil ? unsafe withUnsafeCurrentTask { unsafe $0?.hashValue } : nil
        return state.withLock { state in
            if made.object != nil { return .made }
            if state.isMaking {
                let isCurrentTask = task != nil && task == state.task
                return .wait(state.round, state.construction, isCurrentTask: isCurrentTask)
            }
            state.isMaking = true
            state.construction = construction
            state.task = task
            return .make
        }
    }

    @inline(__always)
    private func make(
        by maker: SharedMaker<Value>,
        in scope: Scope,
        _ construction: Construction?
    ) async throws -> Value {
        do {
            let value =
                if let construction {
                    try await construction.run { try await maker.make(in: scope) }
                } else {
                    try await maker.make(in: scope)
                }
            made.publish(maker.boxType.init(value))
            end(.ended)
            return value
        } catch {
            // Work that fails because of a cancellation often throws another error.
            end(.failed(Task.isCancelled ? CancellationError() : error))
            throw error
        }
    }

    private func end(_ outcome: Outcome) {
        let waiters = state.withLock { state -> [Int: CheckedContinuation<Outcome, Never>] in
            state.isMaking = false
            state.construction = nil
            state.round += 1
            guard !state.waiters.isEmpty else { return [:] }
            defer { state.waiters = [:] }
            return state.waiters
        }
        for waiter in waiters.values { waiter.resume(returning: outcome) }
    }

    /// Waits until the task that creates the value in a round has ended.
    private func outcome(of round: Int) async -> Outcome {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let early: Outcome? = state.withLock { state in
                    if Task.isCancelled { return .cancelled }
                    if state.round != round { return .ended }
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

/// The value of a `Once`, as an object that can be published without a lock.
final class Made<Value: Sendable>: Sendable {
    let value: Value

    required init(_ value: Value) {
        self.value = value
    }
}

// These types are not nested in `Once`: the metadata of a type nested in a generic type is looked up at each use.

private enum Turn {
    case made
    case make
    case wait(_ round: Int, Construction?, isCurrentTask: Bool)
}

private enum Outcome {
    case ended
    case failed(any Error)
    case cancelled
}

private struct Making {
    var isMaking = false
    /// The number of attempts to create the value that have ended.
    var round = 0
    /// The construction, if it is tracked; otherwise the identity of its task.
    var construction: Construction?
    var task: Int?
    var nextID = 0
    var waiters: [Int: CheckedContinuation<Outcome, Never>] = [:]
}
