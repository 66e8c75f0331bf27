#if NATS
    import Duet
    import DuetCluster
    import DuetClusterEngine
    import DuetNATS
    import DuetTesting
    import Foundation
    import Synchronization
    import Testing

    /// The room that commands take on the servers.
    @Suite(.timeLimit(.minutes(5))) struct LogSpaceTests {
        private static func command(_ number: Int, key: String? = nil) -> LoggedCommand {
            let body = Data(repeating: UInt8(number % 256), count: 20_000)
            return LoggedCommand(
                id: "command \(number)",
                key: key ?? "key \(number % 7)",
                message: "Sample",
                envelope: Envelope(body: body)
            )
        }

        /// Adds commands, each of which is handled before the next one is added; a slow one is handled at the end.
        private static func handle(
            _ count: Int,
            on node: NATSCluster,
            publishing: Bool = false,
            isFirstSlow: Bool = false
        ) async throws {
            let (handled, end) = (Monitor<Set<String>>([]), Gate())
            let slow = command(0, key: "slow")
            if isFirstSlow { _ = try await node.commands.append(slow) }
            let worker = try await node.commands.process(ProcessingOptions()) { delivery in
                if delivery.command.id == slow.id { try? await end.pass() }
                if publishing { _ = try? await node.backplane.publish(delivery.command.envelope) }
                handled.update { _ = $0.insert(delivery.command.id) }
                return .done
            }
            let others = (1...count).map { command($0) }
            let partition = LoggedCommand.partition(of: slow.key, among: node.commands.partitionCount)
            for command in others
            where LoggedCommand.partition(of: command.key, among: node.commands.partitionCount) != partition {
                _ = try await node.commands.append(command)
                await handled.waitEvenIfCanceled { $0.contains(command.id) }
            }
            end.open()
            if isFirstSlow { await handled.waitEvenIfCanceled { $0.contains(slow.id) } }
            await worker.stop()
        }

        @Test(arguments: [false, true])
        func `a log whose commands are handled is never full, also behind a slow one`(isFirstSlow: Bool) async throws {
            try await NATSServer.run { server in
                var options = NATSOptions.test
                options.commandBytes = 1_000_000
                let node = try await server.node("test", options)
                try await Self.handle(150, on: node, isFirstSlow: isFirstSlow)
                await node.close()
            }
        }

        @Test(arguments: [false, true])
        func `a server whose commands are handled is never full, also behind a slow one`(
            isFirstSlow: Bool
        ) async throws {
            let configuration = "jetstream { max_file_store: 3MB, max_memory_store: 3MB }"
            try await NATSServer.run([], configuration: configuration) { server in
                let node = try await server.node()
                // The events have the commands, too.
                try await Self.handle(200, on: node, publishing: true, isFirstSlow: isFirstSlow)
                await node.close()
            }
        }

        @Test func `a command that is larger than the log is too large, and a smaller one is added`() async throws {
            try await NATSServer.run { server in
                var options = NATSOptions.test
                options.commandBytes = 10_000
                var sizes: [Bool: [Int]] = [:]
                for size in Array(9_700...10_000) + [20_000] {
                    // Each log is empty.
                    if size % 10 != 0 { continue }
                    let node = try await server.node("test\(size)", options)
                    let envelope = Envelope(body: Data(count: size))
                    do {
                        _ = try await node.commands.append(
                            LoggedCommand(id: "1", key: "key", message: "Sample", envelope: envelope)
                        )
                        sizes[true, default: []].append(size)
                    } catch TransportError.tooLarge(let bytes, let limit) {
                        #expect(bytes > limit)
                        sizes[false, default: []].append(size)
                    }
                    await node.close()
                }
                let (added, tooLarge) = (try #require(sizes[true]), try #require(sizes[false]))
                #expect(added.contains(9_700) && tooLarge.contains(10_000) && tooLarge.contains(20_000))
                #expect(try #require(added.max()) < #require(tooLarge.min()))
            }
        }

        @Test func `commands that are not handled stay in a full log, in order`() async throws {
            try await NATSServer.run { server in
                var options = NATSOptions.test
                options.commandBytes = 1_000_000
                let node = try await server.node("test", options)
                try await Self.handle(20, on: node)
                var added: [String] = []
                let error = await #expect(throws: TransportError.self) {
                    for number in 1_001...1_100 {
                        let command = Self.command(number, key: "key")
                        _ = try await node.commands.append(command)
                        added.append(command.id)
                    }
                }
                #expect("\(try #require(error))".contains("commandBytes"))
                #expect(added.count > 40)
                let handled = Monitor<[String]>([])
                let worker = try await node.commands.process(ProcessingOptions()) { delivery in
                    handled.update { $0.append(delivery.command.id) }
                    return .done
                }
                await handled.waitEvenIfCanceled { [added] in $0.count >= added.count }
                #expect(handled.read { $0 } == added)
                await worker.stop()
                _ = try await node.commands.append(Self.command(2_000))
                await node.close()
            }
        }

        @Test func `handled commands leave the log, and positions stay`() async throws {
            try await NATSServer.run { server in
                var options = NATSOptions.test
                options.duplicateWindow = .milliseconds(500)
                let node = try await server.node("test", options)
                let (first, count) = (Self.command(1), Monitor(0))
                let position = try await node.commands.append(first).position
                let worker = try await node.commands.process(ProcessingOptions()) { _ in
                    count.update { $0 += 1 }
                    return .done
                }
                await count.waitEvenIfCanceled { $0 == 1 }
                let raw = try await server.node("test", options)
                // A repeat is added again as soon as its first one has left.
                try await eventually("the command leaves the log") {
                    try await raw.commands.append(first).isRepeat ? nil : ()
                }
                await count.waitEvenIfCanceled { $0 == 2 }
                try await eventually("the second one is handled") {
                    try await raw.commands.handledPosition(in: position.partition).sequence > position.sequence
                        ? () : nil
                }
                let last = try await raw.commands.lastPosition(in: position.partition)
                #expect(last.sequence > position.sequence)
                await worker.stop()
                await raw.close()
                await node.close()
            }
        }

        @Test func `nodes that start together on a fresh server all work`() async throws {
            for _ in 1...5 {
                try await NATSServer.run { server in
                    let nodes = try await withThrowingTaskGroup(of: NATSCluster.self) { group in
                        for _ in 1...4 { group.addTask { try await server.node() } }
                        return try await group.reduce(into: []) { $0.append($1) }
                    }
                    try await withThrowingTaskGroup(of: (any Registration).self) { group in
                        for node in nodes {
                            group.addTask { try await node.commands.process(ProcessingOptions()) { _ in .done } }
                        }
                        for try await worker in group { await worker.stop() }
                    }
                    for node in nodes { await node.close() }
                }
            }
        }
    }
#endif
