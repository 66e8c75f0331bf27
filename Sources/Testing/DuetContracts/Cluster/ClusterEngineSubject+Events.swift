#if Cluster

    import DuetClusterEngine
    import Foundation

    extension ClusterEngineSubject {
        private func read(_ count: Int, _ follower: BackplaneFollower) async throws -> [BackplaneEvent] {
            try await within("\(count) events arrive") {
                var events: [BackplaneEvent] = []
                for await event in follower.events {
                    events.append(event)
                    if events.count == count { return events }
                }
                throw ContractViolation("\(count) events: the stream ended after \(events.count)")
            }
        }

        func ordersEvents() async throws {
            let nodes = try await [node(), node(), node()]
            var followers: [BackplaneFollower] = []
            for node in nodes { followers.append(try await node.backplane.follow()) }
            let events = (0..<2).map { publisher in
                (1...50).map { number in
                    Envelope(
                        headers: ["publisher": "\(publisher)"],
                        body: Envelope.samples[number % 4].body + [UInt8(number)]
                    )
                }
            }
            let published = try await withThrowingTaskGroup(of: [BackplaneEvent].self) { group in
                for (node, events) in zip(nodes, events) {
                    group.addTask {
                        var published: [BackplaneEvent] = []
                        for event in events {
                            published.append(.event(event, position: try await node.backplane.publish(event)))
                        }
                        return published
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            let expected = published.sorted { $0.position < $1.position }
            try require(Set(expected.map(\.position)).count, toBe: 100, "the number of positions")
            for (number, follower) in followers.enumerated() {
                let found = try await read(100, follower)
                try require(found.map(\.position), toBe: expected.map(\.position), "the positions on node \(number)")
                try require(found, toBe: expected, "the events on node \(number)")
            }
        }

        func startsFollowers() async throws {
            let (one, two) = try await twoNodes()
            let early = try await one.backplane.follow()
            try require(early.start, toBe: 0, "the start of a follower before all events")
            let first = try await two.backplane.publish(Envelope("1"))
            try require(first > 0, "the first position is 1 or more")
            let second = try await two.backplane.publish(Envelope("2"))
            let late = try await one.backplane.follow()
            try require(late.start, toBe: second, "the start of a follower after two events")
            let third = try await two.backplane.publish(Envelope("3"))
            let events: [BackplaneEvent] = [
                .event(Envelope("1"), position: first), .event(Envelope("2"), position: second),
                .event(Envelope("3"), position: third),
            ]
            try await require(read(1, late), toBe: [events[2]], "the events of the later follower")
            try await require(read(3, early), toBe: events, "the events of the earlier follower")
        }

        func keepsEvents() async throws {
            let (one, two) = try await twoNodes()
            let follower = try await one.backplane.follow()
            var expected: [BackplaneEvent] = []
            for number in 1...1_000 {
                let event = Envelope("\(number)")
                expected.append(.event(event, position: try await two.backplane.publish(event)))
            }
            try await require(read(1_000, follower) == expected, "1,000 events arrive in order")
        }

        func refusesLargeEvents() async throws {
            let (one, two) = try await twoNodes()
            let follower = try await two.backplane.follow()
            try await expectLimit(of: "an event") { event in
                let position = try await one.backplane.publish(event)
                let found = try await read(1, follower)
                try require(found == [.event(event, position: position)], "the event arrives unchanged")
            }
        }
    }

    extension BackplaneEvent {
        var position: UInt64 {
            switch self {
            case .event(_, let position), .gap(let position): position
            }
        }
    }

#endif
