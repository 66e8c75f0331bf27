import DuetHTTP
import Foundation
import Testing

/// The guide's messages, against a PocketBase that runs and behind a router of our own.
@Suite(.pocketBase)
struct PocketBaseTests {
    /// An id in the form that PocketBase asks for, which no other test has.
    static func newID() -> String {
        String((0..<15).map { _ in "abcdefghijklmnopqrstuvwxyz0123456789".randomElement() ?? "0" })
    }

    @Test(arguments: World.allCases)
    func `what was added is loaded, and what was removed is not`(world: World) async throws {
        let id = Self.newID()
        try await world.withAPI { api in
            try await api.dispatch(AddSpeaker(id: id, name: "Zoë + “Ada” 1%2F2 \\ \n 💡", talks: 13))
            let speaker = try await api.dispatch(LoadSpeaker(id: id))
            #expect(speaker.name == "Zoë + “Ada” 1%2F2 \\ \n 💡")
            #expect(speaker.talks == 13)
            #expect(speaker.photo == "")
            try await api.dispatch(RemoveSpeaker(id: id))
            await #expect(throws: (any Error).self) { _ = try await api.dispatch(LoadSpeaker(id: id)) }
        }
    }
}
