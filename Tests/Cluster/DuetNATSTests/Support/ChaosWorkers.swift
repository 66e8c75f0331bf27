#if NATS
    import ClusterChaosNode
    import Duet
    import Foundation
    import TestSupport

    /// Workers of a cluster, each a separate process that is started again whenever it ends.
    final class ChaosWorkers: Sendable {
        /// A worker that ended with an error, and not because it was killed.
        struct Failure: Error, CustomStringConvertible {
            let status: Int32
            var description: String { "A worker ended by itself with the status \(status). It printed the error." }
        }

        private struct State: Sendable {
            var running: [Int: ChaosProcess] = [:]
            var starts = 0
            var kills = 0
            var failure: Failure?
            var isStopping = false
        }

        private let settings: ChaosSettings
        private let state = Monitor(State())

        private init(_ settings: ChaosSettings) { self.settings = settings }

        /// Runs an operation with a number of workers, which finish their work at the end.
        static func run<Value: Sendable>(
            _ count: Int,
            _ settings: ChaosSettings,
            _ operation: (ChaosWorkers) async throws -> Value
        ) async throws -> Value {
            let workers = ChaosWorkers(settings)
            return try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<count { group.addTask { try await workers.keepRunning(number) } }
                let result: Result<Value, any Error>
                do {
                    result = .success(try await operation(workers))
                } catch {
                    result = .failure(error)
                }
                await workers.stop()
                try await group.waitForAll()
                return try result.get()
            }
        }

        /// How often a worker was started.
        var starts: Int { state.read(\.starts) }

        /// How many workers were killed, by themselves or by a test.
        var kills: Int { state.read(\.kills) }

        /// - Throws: ``Failure`` of a worker that ended by itself.
        func check() throws { if let failure = state.read(\.failure) { throw failure } }

        /// Ends a worker as a crash would; does nothing if it has ended.
        func kill(_ process: Int32) {
            state.read { $0.running.values.first { $0.identifier == process } }?.kill()
        }

        /// Ends any worker as a crash would.
        func killOne() { state.read { $0.running.min { $0.key < $1.key }?.value }?.kill() }

        private func keepRunning(_ number: Int) async throws {
            while !state.read(\.isStopping) {
                let process = try ChaosProcess("work", settings)
                let isStopping = state.update { state in
                    state.running[number] = process
                    state.starts += 1
                    return state.isStopping
                }
                if isStopping { process.finish() }
                let status = await process.status
                state.update { state in
                    state.running[number] = nil
                    if status == SIGKILL { state.kills += 1 }
                    if status != SIGKILL, status != 0 { state.failure = Failure(status: status) }
                }
                // One that cannot start does not keep the machine busy.
                if status != SIGKILL, status != 0 { return }
            }
        }

        /// Ends all workers when they have finished what they have begun.
        private func stop() async {
            let running = state.update { state in
                state.isStopping = true
                return Array(state.running.values)
            }
            for process in running { process.finish() }
            let limit = Task {
                try await ContinuousClock().sleep(for: .seconds(60))
                for process in running { process.kill() }
            }
            try? await state.wait { $0.running.isEmpty ? () : nil }
            limit.cancel()
        }
    }

    /// A process of `ClusterChaosNode`.
    final class ChaosProcess: Sendable {
        private let process = Process()
        private let input = Pipe()
        private let end = Monitor<Int32?>(nil)

        init(_ command: String, _ settings: ChaosSettings) throws {
            process.executableURL = builtExecutable("ClusterChaosNode")
            process.arguments = [command, try settings.json]
            process.standardInput = input
            process.standardOutput = FileHandle.nullDevice
            process.terminationHandler = { [end] process in
                end.update { $0 = process.terminationStatus }
            }
            try process.run()
        }

        var identifier: Int32 { process.processIdentifier }

        /// Waits for the end, and returns the number of the signal or the status.
        var status: Int32 {
            get async {
                await end.waitEvenIfCanceled { $0 != nil }
                return end.read { $0 ?? 0 }
            }
        }

        /// Ends the input, after which the program ends by itself.
        func finish() { try? input.fileHandleForWriting.close() }

        /// Ends the program as a crash would.
        func kill() {
            guard end.read({ $0 == nil }) else { return }
            _ = Foundation.kill(identifier, SIGKILL)
        }
    }
#endif
