import Synchronization

/// A load or a command, with what its tasks read from tracked sources and write to them.
package final class DataUse: Sendable {
    package enum Work: Sendable {
        /// The load of a cached value, with its place among the loads that cause each other.
        case load(any Sendable)
        /// The dispatch of a command, whose reads belong to nobody.
        case command(any Command)
        /// Work whose reads do not matter.
        case exempt
    }

    package struct Record: Sendable {
        package var reads: Set<DataName> = []
        /// Something that was read and that nobody can track; nil for nothing.
        package var door: String?
        package var writes: Set<DataName> = []
        /// The number of accesses that have not said what they read.
        package var openReads = 0
        fileprivate var hasEnded = false
    }

    /// The innermost one of the current task.
    @TaskLocal package static var current: DataUse?
    private static let isAny = Atomic(false)

    /// Whether there has been any, because looking for one takes half as long as a dispatch.
    @inline(__always)
    package static var areUsed: Bool { isAny.load(ordering: .relaxed) }

    package let work: Work
    private let outer = DataUse.current
    private let state = Mutex(Record())

    package init(_ work: Work) {
        self.work = work
        Self.isAny.store(true, ordering: .relaxed)
    }

    package var record: Record { state.withLock(\.self) }

    package var isLoad: Bool { if case .load = work { true } else { false } }

    /// The innermost load.
    package var load: (any Sendable)? { if case .load(let load) = work { load } else { outer?.load } }

    /// The innermost command; nil if that has ended.
    package var command: DataUse? {
        if case .command = work { state.withLock(\.hasEnded) ? nil : self } else { outer?.command }
    }

    /// The commands of the current task, the innermost first.
    package var commands: [DataUse] { command.map { [$0] + ($0.outer?.commands ?? []) } ?? [] }

    package func run<Value>(
        isolation: isolated (any Actor)? = #isolation,
        _ operation: () async throws -> Value
    ) async rethrows -> Value {
        try await Self.$current.withValue(self, operation: operation)
    }

    /// Notes that the command has ended, so that what a task of it does later is other work.
    package func end() { state.withLock { $0.hasEnded = true } }

    package func beginRead() { state.withLock { $0.openReads += 1 } }

    package func noteRead(_ names: Set<DataName>, door: String? = nil, ends: Int = 0) {
        guard isLoad else { return }
        state.withLock { record in
            record.reads.formUnion(names)
            record.door = record.door ?? door
            record.openReads -= ends
        }
    }

    /// Notes that the current load has read something that nobody can track.
    ///
    /// - Parameter door: A description for the developer.
    package static func noteDoor(_ door: @autoclosure () -> String) {
        guard areUsed, let use = current, use.isLoad else { return }
        use.noteRead([], door: door())
    }

    /// Notes what was written, also for the loads around this one, which may have read it.
    package func noteWrite(_ names: Set<DataName>) {
        state.withLock { $0.writes.formUnion(names) }
        outer?.noteWrite(names)
    }
}

/// The owner of a read.
package enum DataOwner: Sendable {
    case use(DataUse)
    /// A request, or work of the program.
    case nobody
    /// It may be any load.
    case unknown

    package static var current: DataOwner {
        if let use = DataUse.current { return .use(use) }
        return Caller.current.isServed || Caller.current.authority != nil ? .nobody : .unknown
    }

    package var use: DataUse? { if case .use(let use) = self { use } else { nil } }
}
