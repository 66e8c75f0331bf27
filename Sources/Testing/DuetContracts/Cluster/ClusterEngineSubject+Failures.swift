#if Cluster

    import DuetCluster
    import DuetClusterEngine
    import DuetTesting
    import Foundation
    import Synchronization

    extension ClusterEngineSubject {
        private func deadLetters(_ count: Int, _ node: ClusterNode) async throws -> [DeadLetter] {
            let letters = Mutex<[DeadLetter]>([])
            try await eventually("the number of dead letters is \(count)") {
                let found = try await node.log.deadLetters.list(limit: 100)
                letters.withLock { $0 = found }
                return found.count == count ? nil : "is \(found.count)"
            }
            return letters.withLock { $0 }
        }

        private func deadLetter(_ node: ClusterNode, attempts: Int) async throws -> DeadLetter {
            let letter = try await deadLetters(1, node)[0]
            try require(letter.attempts, toBe: attempts, "the attempts of the dead letter")
            return letter
        }

        func retries() async throws {
            let (sender, worker) = try await twoNodes()
            let (handlings, times) = (Observations<Handling>(), Observations<ContinuousClock.Instant>())
            let delay = Duration.seconds(1)
            try await process(worker, into: handlings) { delivery in
                times.append(.now)
                return delivery.command.id == "a" && delivery.attempt == 1
                    ? .retry(after: delay, reason: "again") : .done
            }
            try await sender.append(["a", "b"])
            let all = try await handlings.wait(6, "two commands are handled")
            try require(all, toBe: Handling.attempts("a", [1, 2]) + Handling.attempts("b"), "the attempts")
            // Clocks of servers may differ a little.
            let passed = times.all[0].duration(to: times.all[1])
            try require(passed >= delay * 0.9, "the delay of \(delay) has passed, after \(passed)")
        }

        func endsRetries() async throws {
            let (sender, worker) = try await twoNodes()
            let handlings = Observations<Handling>()
            try await process(worker, attempts: 3, into: handlings) { delivery in
                guard delivery.command.id == "a" else { return .done }
                return .retry(after: .milliseconds(10), reason: "failure \(delivery.attempt)")
            }
            let command = Self.command("a")
            let position = try await sender.log.append(command).position
            try await sender.append("b")
            let all = try await handlings.wait(until: "the command behind is handled") { $0.contains(.ended("b")) }
            try require(all, toBe: Handling.attempts("a", [1, 2, 3]) + Handling.attempts("b"), "the attempts")
            let letter = try await deadLetter(sender, attempts: 3)
            try require(letter.command, toBe: command, "the command of the dead letter")
            try require(letter.position, toBe: position, "the position of the dead letter")
            try require(letter.reason, toBe: "failure 3", "the reason of the dead letter")
        }

        func skipsAttempts() async throws {
            let (sender, worker) = try await twoNodes()
            let handlings = Observations<Handling>()
            let skipped = Observations<Int>()
            try await process(worker, attempts: 2, into: handlings) { delivery in
                guard delivery.command.id == "a" else { return .done }
                skipped.append(delivery.skipped)
                let delay: Duration = delivery.skipped == 0 ? .zero : .milliseconds(10)
                return switch (delivery.attempt, delivery.skipped) {
                case (1, 0...2), (2, 3...4): .skipped(after: delay)
                default: .retry(after: .milliseconds(10), reason: "failure \(delivery.attempt)")
                }
            }
            try await sender.append(["a", "b"])
            let all = try await handlings.wait(until: "the command behind is handled") { $0.contains(.ended("b")) }
            let expected = Handling.attempts("a", [1, 1, 1, 1, 2, 2, 2]) + Handling.attempts("b")
            try require(all, toBe: expected, "the attempts")
            try require(skipped.all, toBe: [0, 1, 2, 3, 3, 4, 5], "the numbers of skipped attempts")
            let letter = try await deadLetter(sender, attempts: 2)
            try require(letter.reason, toBe: "failure 2", "the reason of the dead letter")
        }

        func passesSkippedOn() async throws {
            let done = Observations<String>()
            for number in 1...3 {
                try await node().process { delivery in
                    guard number == 3 else { return .skipped(after: .zero) }
                    done.append(delivery.command.id)
                    return .done
                }
            }
            let sender = try await node()
            let ids = (1...10).map { "\($0)" }
            try await sender.append(ids)
            try await require(done.wait(10, "the third node has all commands"), toBe: ids, "the commands")
        }

        func buries() async throws {
            let (sender, worker) = try await twoNodes()
            let handlings = Observations<Handling>()
            let reason = "not decodable: \u{3A9}\n\"a\""
            try await process(worker, into: handlings) { $0.command.id == "a" ? .dead(reason: reason) : .done }
            try await sender.append(["a", "b"])
            let all = try await handlings.wait(4, "the command behind is handled")
            try require(all, toBe: Handling.attempts("a") + Handling.attempts("b"), "the attempts")
            let letter = try await deadLetter(sender, attempts: 1)
            try require(letter.reason, toBe: reason, "the reason of the dead letter")
            let letters = sender.log.deadLetters
            try await require(letters.find(letter.position), toBe: letter, "the dead letter of its position")
            let next = LogPosition(partition: letter.position.partition, sequence: letter.position.sequence + 1)
            try await require(letters.find(next), toBe: nil, "the dead letter of a command that was handled")
        }

        /// Makes dead letters of commands with the identifiers 1 and up.
        ///
        /// - Returns: What happens to the commands after their first attempt.
        private func makeDeadLetters(
            _ count: Int,
            _ sender: ClusterNode,
            _ worker: ClusterNode
        ) async throws -> Observations<Delivery> {
            let later = Observations<Delivery>()
            let dead = Mutex<Set<String>>([])
            try await worker.process { delivery in
                if dead.withLock({ $0.insert(delivery.command.id).inserted }) { return .dead(reason: "refused") }
                later.append(delivery)
                return .done
            }
            for number in 1...count {
                var command = Self.command("\(number)", "body \(number)")
                command.envelope.headers = ["name": "value \(number)"]
                _ = try await sender.log.append(command)
            }
            return later
        }

        func listsDeadLetters() async throws {
            let (sender, worker) = try await twoNodes()
            try await require(sender.log.deadLetters.list(limit: 10).count, toBe: 0, "the dead letters")
            _ = try await makeDeadLetters(3, sender, worker)
            let letters = try await deadLetters(3, sender)
            try require(letters.map(\.command.id), toBe: ["1", "2", "3"], "the dead letters")
            try require(Set(letters.map(\.id)).count, toBe: 3, "the number of their identifiers")
            let first = try await worker.log.deadLetters.list(limit: 2)
            try require(first, toBe: Array(letters.prefix(2)), "two of the dead letters, on another node")
            let found = try await worker.log.deadLetters.find(letters[2].id)
            try require(found, toBe: letters[2], "the dead letter with an identifier")
            try await require(worker.log.deadLetters.find("unknown"), toBe: nil, "one with an unknown identifier")
        }

        func retriesDeadLetters() async throws {
            let (sender, worker) = try await twoNodes()
            let later = try await makeDeadLetters(2, sender, worker)
            let letters = try await deadLetters(2, sender)
            try await sender.log.deadLetters.retry(letters[0].id, body: Data("corrected".utf8))
            try await sender.log.deadLetters.retry(letters[1].id, body: nil)
            let deliveries = try await later.wait(2, "two dead letters are retried")
            var corrected = letters[0].command
            corrected.envelope.body = Data("corrected".utf8)
            try require(deliveries.map(\.command), toBe: [corrected, letters[1].command], "the commands")
            try require(deliveries.map(\.attempt), toBe: [1, 1], "the attempts")
            for (delivery, letter) in zip(deliveries, letters) {
                let isLater = delivery.position.sequence > letter.position.sequence
                try require(isLater, "the position is later")
            }
            _ = try await deadLetters(0, worker)
            try await expectUnknown(letters[0].id) {
                try await sender.log.deadLetters.retry(letters[0].id, body: nil)
            }
        }

        func movesRepeats() async throws {
            let (sender, worker) = try await twoNodes()
            let log = sender.log
            let positions = Observations<LogPosition>()
            try await worker.process { delivery in
                positions.append(delivery.position)
                return positions.all.count < 3 ? .dead(reason: "refused") : .done
            }
            let first = try await log.append(Self.command("a")).position
            for count in 2...3 {
                try await log.deadLetters.retry(try await deadLetters(1, sender)[0].id, body: nil)
                let last = try await positions.wait(count, "the dead letter is retried")[count - 1]
                try await require(worker.append("a"), toBe: Appended(position: last, isRepeat: true), "the repeat")
            }
            let outcome = try await log.outcome(of: "a", at: first)
            try require(outcome, toBe: .deadLetter, "the outcome of the first dead letter")
        }

        func keepsFailures() async throws {
            let (sender, worker) = try await twoNodes()
            let outcome = Envelope.samples[1]
            try await process(worker, attempts: 1) { delivery in
                if delivery.command.id == "kept" {
                    try? await worker.log.keepOutcome(outcome, of: "kept", at: delivery.position)
                }
                return delivery.command.id == "tried" ? .retry(after: .zero, reason: "again") : .dead(reason: "refused")
            }
            try await sender.append(["kept", "tried", "dead"])
            let letters = try await deadLetters(3, sender)
            for isDropped in [false, true] {
                for letter in letters {
                    if isDropped { try await sender.log.deadLetters.drop(letter.id) }
                    let id = letter.command.id
                    let found = try await sender.log.outcome(of: id, at: letter.position)
                    try require(found, toBe: id == "kept" ? outcome : .deadLetter, "the outcome of the command \(id)")
                }
            }
        }

        func dropsDeadLetters() async throws {
            let (sender, worker) = try await twoNodes()
            let later = try await makeDeadLetters(2, sender, worker)
            let letters = try await deadLetters(2, sender)
            try await worker.log.deadLetters.drop(letters[0].id)
            try await require(deadLetters(1, sender), toBe: [letters[1]], "the dead letters that are left")
            for id in [letters[0].id, "unknown"] {
                try await expectUnknown(id) { try await sender.log.deadLetters.drop(id) }
                try await expectUnknown(id) { try await sender.log.deadLetters.retry(id, body: nil) }
            }
            // The order of the partition proves that the dropped command was not delivered before.
            try await sender.log.deadLetters.retry(letters[1].id, body: nil)
            let deliveries = try await later.wait(1, "the other dead letter is retried")
            try require(deliveries.map(\.command.id), toBe: ["2"], "the commands")
        }

        private func expectUnknown(_ id: String, _ body: () async throws -> Void) async throws {
            try await expect(UnknownDeadLetter(id: id), from: "the dead letter \(id)", body)
        }

        func redelivers() async throws {
            let (one, two, sender) = try await threeNodes()
            let (lost, handlings) = (Observations<Handling>(), Observations<Handling>())
            try await process(one, redelivery: .seconds(1), into: lost) { _ in
                try? await Gate().pass()
                return .done
            }
            try await sender.append(["a", "b"])
            try await lost.wait(1, "the handler begins")
            try await process(two, redelivery: .seconds(1), into: handlings)
            await one.disconnect()
            let all = try await handlings.wait(4, "the other node handles the commands")
            let expected = Handling.attempts("a", [2]) + Handling.attempts("b")
            try require(all, toBe: expected, "the attempts on the other node")
        }

        func countsLostAttempts() async throws {
            let sender = try await node()
            let command = Self.command("a")
            _ = try await sender.log.append(command)
            try await sender.append("b")
            for attempt in 1...2 {
                let (worker, handlings) = (try await node(), Observations<Handling>())
                try await process(worker, attempts: 2, redelivery: .seconds(1), into: handlings) { _ in
                    try? await Gate().pass()
                    return .done
                }
                let all = try await handlings.wait(1, "attempt \(attempt) begins")
                try require(all, toBe: [.began("a", attempt: attempt)], "the attempt on a node that is lost")
                await worker.disconnect()
            }
            let (worker, handlings) = (try await node(), Observations<Handling>())
            try await process(worker, attempts: 2, redelivery: .seconds(1), into: handlings)
            let all = try await handlings.wait(3, "the command behind is handled")
            let expected: [Handling] = [.abandoned("a", attempt: 2), .began("b", attempt: 1), .ended("b")]
            try require(all, toBe: expected, "the attempts on the last node")
            let letter = try await deadLetter(sender, attempts: 2)
            try require(letter.command, toBe: command, "the command of the dead letter")
            let outcome = try await sender.log.outcome(of: "a", at: letter.position)
            try require(outcome, toBe: .deadLetter, "the outcome of the dead letter")
        }

        func waitsForSlowHandlers() async throws {
            let (one, two) = try await twoNodes()
            let handlings = Observations<Handling>()
            for worker in [one, two] {
                try await process(worker, redelivery: .seconds(1), into: handlings) { delivery in
                    if delivery.command.id == "slow" { try? await ContinuousClock().sleep(for: .seconds(3)) }
                    return .done
                }
            }
            try await one.append(["slow", "b"])
            let all = try await handlings.wait(4, "two commands are handled")
            try require(all, toBe: Handling.attempts("slow") + Handling.attempts("b"), "the attempts")
        }
    }

#endif
