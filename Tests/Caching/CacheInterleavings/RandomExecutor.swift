import DuetTesting
import Foundation
import Synchronization

/// Runs all tasks of the process on the thread that calls ``run(_:_:)``, one at a time, in an order that a seed
/// determines.
///
/// It replaces Swift's global executor with a hook of the runtime.
final class RandomExecutor: TaskExecutor {
    static let shared = RandomExecutor()

    private enum Step: Sendable {
        case job(UnownedJob)
        /// The end of a pause.
        case resumption(CheckedContinuation<Void, Never>)
    }

    private let steps = Mutex<[Step]>([])

    private init() {}

    /// Replaces the global executor.
    func install() {
        typealias Original = @convention(thin) (UnownedJob) -> Void
        typealias Hook = @convention(thin) (UnownedJob, Original) -> Void
        let hook: Hook = { job, _ in RandomExecutor.shared.enqueue(job) }
        guard let symbol = unsafe dlsym(dlopen(nil, RTLD_NOW), "swift_task_enqueueGlobal_hook") else {
            fatalError("This Swift runtime has no hook for its global executor.")
        }
        unsafe symbol.assumingMemoryBound(to: Optional<Hook>.self).pointee = hook
    }

    func enqueue(_ job: UnownedJob) { steps.withLock { $0.append(.job(job)) } }

    func enqueue(_ job: consuming ExecutorJob) { enqueue(UnownedJob(job)) }

    /// Runs a function and all tasks that it creates, until each has ended or waits.
    ///
    /// - Returns: Whether the function has ended.
    func run(_ generator: inout SeededGenerator, _ operation: @escaping @Sendable () async -> Void) -> Bool {
        let end = End()
        Task {
            await operation()
            end.isReached.store(true, ordering: .relaxed)
        }
        while let step = next(&generator) {
            switch step {
            case .job(let job): unsafe job.runSynchronously(on: asUnownedTaskExecutor())
            case .resumption(let continuation): continuation.resume()
            }
        }
        return end.isReached.load(ordering: .relaxed)
    }

    private func next(_ generator: inout SeededGenerator) -> Step? {
        steps.withLock { steps in
            guard !steps.isEmpty else { return nil }
            return steps.remove(at: Int.random(in: steps.indices, using: &generator))
        }
    }

    /// Lets other tasks run.
    ///
    /// `Task.yield()` would leave this executor in a task that was started immediately.
    static func pause() async {
        await withCheckedContinuation { continuation in
            shared.steps.withLock { $0.append(.resumption(continuation)) }
        }
    }
}

private final class End: Sendable {
    let isReached = Atomic(false)
}
