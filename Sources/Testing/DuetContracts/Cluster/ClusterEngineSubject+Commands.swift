#if Cluster

    import DuetCluster
    import DuetClusterEngine
    import DuetTesting
    import Foundation

    /// The begin or the end of an attempt to handle a command, or the last one of a command whose nodes were lost.
    enum Handling: Hashable {
        case began(String, attempt: Int)
        case ended(String)
        case abandoned(String, attempt: Int)

        static func attempts(_ id: String, _ numbers: [Int] = [1]) -> [Handling] {
            numbers.flatMap { [began(id, attempt: $0), ended(id)] }
        }
    }

    extension ClusterNode {
        var queries: any QueryTransport { engine.queries }
        var log: any CommandLog { engine.commands }
        var backplane: any Backplane { engine.backplane }

        @discardableResult
        func append(_ id: String, key: String = "key", _ text: String = "text") async throws -> Appended {
            try await log.append(ClusterEngineSubject.command(id, key: key, text))
        }

        func append(_ ids: [String]) async throws {
            for id in ids { try await append(id) }
        }

        func process(_ handler: @escaping DeliveryHandler) async throws {
            _ = try await log.process(ProcessingOptions(), handler)
        }

        func waitUntilHandled(_ position: LogPosition, _ what: String) async throws {
            try await eventually(what) {
                let handled = try await log.handledPosition(in: position.partition)
                return handled.sequence >= position.sequence ? nil : "\(handled) is handled"
            }
        }
    }

    extension ClusterEngineSubject {
        static func command(_ id: String, key: String = "key", _ text: String = "text") -> LoggedCommand {
            LoggedCommand(id: id, key: key, message: "Contract.Command", envelope: Envelope(text))
        }

        /// Handles the commands of a cluster on a node, and records each attempt.
        @discardableResult
        func process(
            _ node: ClusterNode,
            attempts: Int = 5,
            redelivery: Duration = .seconds(10),
            into handlings: Observations<Handling> = Observations(),
            _ handler: @escaping @Sendable (Delivery) async -> Disposition = { _ in .done }
        ) async throws -> any Registration {
            let options = ProcessingOptions(attempts: attempts, redelivery: redelivery)
            return try await node.log.process(
                options,
                abandoned: { handlings.append(.abandoned($0.command.id, attempt: $0.attempt)) }
            ) { delivery in
                handlings.append(.began(delivery.command.id, attempt: delivery.attempt))
                let disposition = await handler(delivery)
                handlings.append(.ended(delivery.command.id))
                return disposition
            }
        }

        func keys(_ count: Int, of log: any CommandLog) throws -> [String] {
            var keys: [Int: String] = [:]
            for number in 0..<10_000 where keys.count < min(count, log.partitionCount) {
                keys[LoggedCommand.partition(of: "key \(number)", among: log.partitionCount)] = "key \(number)"
            }
            guard keys.count == count else {
                throw ContractViolation("partitions: expected at least \(count), found \(log.partitionCount)")
            }
            return keys.values.sorted()
        }

        func deliversCommands() async throws {
            let (sender, worker) = try await twoNodes()
            let deliveries = Observations<Delivery>()
            try await worker.process { delivery in
                deliveries.append(delivery)
                return .done
            }
            for (number, sample) in Envelope.samples.enumerated() {
                let text = ["id", "a.b > *", "\u{3A9}\u{1F600}", "a\r\nb", " '\" "][number % 5]
                let command = LoggedCommand(
                    id: "\(number)\(text)",
                    key: number == 0 ? "" : text,
                    message: "Message \(text)",
                    envelope: sample
                )
                let position = try await sender.log.append(command).position
                let delivery = try await deliveries.wait(number + 1, "a command is delivered")[number]
                let log = worker.log
                try require(delivery.command, toBe: command, "the command")
                try require(delivery.position, toBe: position, "the position")
                try require(delivery.attempt, toBe: 1, "the attempt")
                let partition = LoggedCommand.partition(of: command.key, among: log.partitionCount)
                try require(position.partition, toBe: partition, "the partition of the key \"\(command.key)\"")
                try require(position.sequence > 0, "the position is after the start")
            }
        }

        func keepsCommands() async throws {
            let (sender, worker) = try await twoNodes()
            try await sender.append(["1", "2", "3"])
            await sender.disconnect()
            let handlings = Observations<Handling>()
            try await process(worker, into: handlings)
            let ended = try await handlings.wait(6, "three commands are handled").filter { $0.id != nil }
            try require(ended, toBe: (1...3).map { .ended("\($0)") }, "the commands that waited")
        }

        func keepsTheOrder() async throws {
            let (one, two, sender) = try await threeNodes()
            struct Step {
                let position: LogPosition
                let hasEnded: Bool
                let disposition: Disposition?
            }
            let steps = Observations<Step>()
            for worker in [one, two] {
                try await worker.process { delivery in
                    steps.append(Step(position: delivery.position, hasEnded: false, disposition: nil))
                    await Task.yield()
                    let isRetried = delivery.position.sequence % 7 == 3 && delivery.attempt == 1
                    let disposition: Disposition = isRetried ? .retry(after: .milliseconds(20), reason: "again") : .done
                    steps.append(Step(position: delivery.position, hasEnded: true, disposition: disposition))
                    return disposition
                }
            }
            var positions: [Int: [LogPosition]] = [:]
            for number in 1...200 {
                let command = Self.command("\(number)", key: "key \(number % 20)")
                let position = try await sender.log.append(command).position
                let partition = LoggedCommand.partition(of: command.key, among: sender.log.partitionCount)
                try require(position.partition, toBe: partition, "the partition of the key \"\(command.key)\"")
                positions[partition, default: []].append(position)
            }
            let all = try await steps.wait(until: "200 commands are handled") { steps in
                steps.count { $0.disposition == .done } >= 200
            }
            for (partition, expected) in positions {
                for (earlier, later) in zip(expected, expected.dropFirst()) where earlier.sequence >= later.sequence {
                    throw ContractViolation("append: \(later) was returned after \(earlier)")
                }
                let steps = all.filter { $0.position.partition == partition }
                for (began, ended) in zip(steps, steps.dropFirst()) where !began.hasEnded && !ended.hasEnded {
                    throw ContractViolation("the partition \(partition) has two commands at the same time")
                }
                let handled = steps.filter { $0.disposition == .done }.map(\.position)
                try require(handled, toBe: expected, "the order of the partition \(partition)")
            }
        }

        func separatesPartitions() async throws {
            let (sender, worker) = try await twoNodes()
            let (handlings, gate) = (Observations<Handling>(), Gate())
            let keys = try keys(2, of: sender.log)
            try await process(worker, into: handlings) { delivery in
                if delivery.command.id == "slow" { try? await gate.pass() }
                return .done
            }
            try await sender.append("slow", key: keys[0])
            try await sender.append("behind", key: keys[0])
            try await handlings.wait(1, "the slow command begins")
            try await sender.append("other", key: keys[1])
            try await handlings.wait(until: "the other partition goes on") { $0.contains(.ended("other")) }
            try require(handlings.all.contains(.began("behind", attempt: 1)), toBe: false, "the command behind begins")
            gate.open()
            let all = try await handlings.wait(6, "all commands are handled")
            try require(all.compactMap(\.id), toBe: ["other", "slow", "behind"], "the order of the ends")
        }

        func knowsTheLog() async throws {
            let (one, two) = try await twoNodes()
            let number = try await one.log.epoch()
            try await require(two.log.epoch(), toBe: number, "the number of the log on another node")
            try await two.append("a")
            try await require(one.log.epoch(), toBe: number, "the number of the log with a command")
        }

        func findsDuplicates() async throws {
            let (one, two) = try await twoNodes()
            let first = try await one.append("a", "first").position
            var positions = [try await two.append("a", "second").position]
            positions += try await withThrowingTaskGroup { group in
                for node in [one, two, one, two, one, two] {
                    group.addTask { try await node.append("b").position }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            try require(positions[0], toBe: first, "the position of a duplicate")
            try require(Set(positions.dropFirst()).count, toBe: 1, "the number of positions of concurrent duplicates")
            let deliveries = Observations<LoggedCommand>()
            try await one.process { delivery in
                deliveries.append(delivery.command)
                return .done
            }
            try await deliveries.wait(2, "two commands are handled")
            let later = try await two.append("a").position
            try require(later, toBe: first, "the position of a duplicate after the command was handled")
            try await two.append("last")
            let all = try await deliveries.wait(until: "the last one is handled") { $0.last?.id == "last" }
            try require(all.map(\.id), toBe: ["a", "b", "last"], "the commands")
            try require(all[0].envelope.text, toBe: "first", "the body of the command that was added first")
        }

        func reportsRepeats() async throws {
            let (one, two) = try await twoNodes()
            let first = try await one.append("a")
            try require(first.isRepeat, toBe: false, "the first command is a repeat")
            let results = try await withThrowingTaskGroup { group in
                for node in [one, two, one, two] {
                    group.addTask { try await node.append("b") }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            try require(results.count { !$0.isRepeat }, toBe: 1, "the number of concurrent commands that were added")
            try await process(two)
            try await one.waitUntilHandled(first.position, "the first command is handled")
            try await require(two.append("a"), toBe: Appended(position: first.position, isRepeat: true), "the repeat")
        }

        func finishesCommands() async throws {
            let (one, two) = try await twoNodes()
            let (first, second, gate) = (Observations<Handling>(), Observations<Handling>(), Gate())
            let processing = try await process(one, into: first) { _ in
                try? await gate.pass()
                return .done
            }
            let position = try await two.append("a").position
            try await first.wait(1, "the handler begins")
            let stop = Task { () throws -> [Handling] in
                await processing.stop()
                return first.all
            }
            try await process(two, into: second)
            // The time in which a stop that does not wait returns.
            try await ContinuousClock().sleep(for: .milliseconds(100))
            gate.open()
            let handled = try await result(of: stop, "the node stops").get()
            try require(handled, toBe: Handling.attempts("a"), "the stopped node")
            try await two.append(["b", "c"])
            try await second.wait(4, "the other node handles later commands")
            try require(second.all.compactMap(\.id), toBe: ["b", "c"], "the other node")
            try require(first.all, toBe: handled, "the stopped node, later")
            try await two.waitUntilHandled(position, "the command of the stopped node is done")
        }

        func hasCommands() async throws {
            let (one, two) = try await twoNodes()
            let position = try await one.append("a").position
            let next = LogPosition(partition: position.partition, sequence: position.sequence + 1)
            try await require(two.log.contains("a", at: position), "a command that waits is there")
            try await require(two.log.contains("b", at: position), toBe: false, "another command is there")
            try await require(two.log.contains("a", at: next), toBe: false, "the command is at the next position")
            let handlings = Observations<Handling>()
            try await process(two, into: handlings)
            try await one.waitUntilHandled(position, "the command is handled")
            try await require(two.log.contains("a", at: position), "a handled command is there")
        }

        func keepsOutcomes() async throws {
            let (one, two) = try await twoNodes()
            let command = Self.command("1")
            let position = try await one.log.append(command).position
            let before = try await two.log.outcome(of: command.id, at: position)
            try require(before, toBe: nil, "the outcome before it was kept")
            let outcome = Envelope.samples[1]
            try await one.log.keepOutcome(outcome, of: command.id, at: position)
            let kept = try await two.log.outcome(of: command.id, at: position)
            try require(kept, toBe: outcome, "the outcome on another node")
            try await require(two.log.outcome(of: "another", at: position), toBe: nil, "the outcome of another command")
        }

        func knowsHandledPositions() async throws {
            let (sender, worker) = try await twoNodes()
            let log = sender.log
            for partition in 0..<log.partitionCount {
                let start = LogPosition(partition: partition, sequence: 0)
                try await require(log.handledPosition(in: partition), toBe: start, "the position of an empty log")
                try await require(log.lastPosition(in: partition), toBe: start, "the last position of an empty log")
            }
            let (handlings, gate) = (Observations<Handling>(), Gate())
            try await process(worker, into: handlings) { delivery in
                if delivery.command.id == "2" { try? await gate.pass() }
                return delivery.command.id == "2" ? .dead(reason: "refused") : .done
            }
            var positions: [LogPosition] = []
            for number in 1...2 { positions.append(try await log.append(Self.command("\(number)")).position) }
            try await handlings.wait(3, "the second command begins")
            let expectHandled = { @Sendable (position: LogPosition) in
                try await eventually("the handled position is \(position)") {
                    let handled = try await log.handledPosition(in: position.partition)
                    return handled == position ? nil : "is \(handled)"
                }
            }
            try await expectHandled(positions[0])
            let last = try await log.lastPosition(in: positions[1].partition)
            try require(last, toBe: positions[1], "the last position of the partition with commands")
            for partition in 0..<log.partitionCount where partition != last.partition {
                let sequence = try await log.lastPosition(in: partition).sequence
                try require(sequence, toBe: 0, "the last position of a partition without commands")
            }
            gate.open()
            try await expectHandled(positions[1])
        }

        func countsCommands() async throws {
            let (sender, worker) = try await twoNodes()
            let expectStatistics = { @Sendable (expected: LogStatistics) in
                try await eventually("the statistics are \(expected)") {
                    let statistics = try await sender.log.statistics()
                    return statistics == expected ? nil : "are \(statistics)"
                }
            }
            try await expectStatistics(LogStatistics())
            try await sender.append(["dead", "twice", "a", "b"])
            try await expectStatistics(LogStatistics(waiting: 4))
            let (first, second) = (Gate(), Gate())
            try await process(worker) { delivery in
                switch (delivery.command.id, delivery.attempt) {
                case ("dead", _): return .dead(reason: "refused")
                case ("twice", 1):
                    try? await first.pass()
                    return .retry(after: .milliseconds(1), reason: "again")
                case ("twice", _): try? await second.pass()
                default: break
                }
                return .done
            }
            try await expectStatistics(LogStatistics(waiting: 2, running: 1, deadLetters: 1))
            first.open()
            try await expectStatistics(LogStatistics(waiting: 2, running: 1, redelivered: 1, deadLetters: 1))
            second.open()
            try await expectStatistics(LogStatistics(deadLetters: 1))
        }

        func refusesLargeCommands() async throws {
            let (sender, worker) = try await twoNodes()
            let sizes = Observations<Int>()
            try await worker.process { delivery in
                sizes.append(delivery.command.envelope.size)
                return .done
            }
            try await expectLimit(of: "a command") { envelope in
                let id = "\(envelope.size)"
                let command = LoggedCommand(id: id, key: "key", message: "Contract.Command", envelope: envelope)
                _ = try await sender.log.append(command)
                let size = try await sizes.wait(1, "the command is delivered")[0]
                try require(size, toBe: envelope.size, "the size of the command")
            }
        }
    }

    extension Handling {
        /// The identifier of the command, if its attempt has ended.
        var id: String? {
            guard case .ended(let id) = self else { return nil }
            return id
        }
    }

#endif
