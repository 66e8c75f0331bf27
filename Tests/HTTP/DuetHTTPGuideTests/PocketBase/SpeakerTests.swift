import Duet
import DuetHTTP
import Foundation
import Testing

extension PocketBaseTests {
    /// One test body for PocketBase and for a Duet server.
    struct SpeakerTests {
        @Test(arguments: World.allCases)
        func `a speaker is loaded as it was added`(world: World) async throws {
            let name = "Zoë + “Ada” = 1%2F2 & \\ \u{1F4A1}"
            try await world.withAPI { api in
                try await api.dispatch(AddSpeaker(id: "loaded123456789", name: name, talks: 13))
                let speaker = try await api.dispatch(LoadSpeaker(id: "loaded123456789"))
                #expect(speaker.id == "loaded123456789")
                #expect(speaker.name == name)
                #expect(speaker.talks == 13)
                #expect(speaker.photo == "")
            }
        }

        @Test(arguments: World.allCases)
        func `a removed speaker is not found, and can be removed again`(world: World) async throws {
            try await world.withAPI { api in
                try await api.dispatch(AddSpeaker(id: "removed12345678", name: "Bob", talks: 1))
                for _ in 1...2 { try await api.dispatch(RemoveSpeaker(id: "removed12345678")) }
                await #expect {
                    _ = try await api.dispatch(LoadSpeaker(id: "removed12345678"))
                } throws: {
                    world.isNotFound($0, id: "removed12345678")
                }
            }
        }

        @Test func `speakers are filtered, sorted and paged`() async throws {
            try await World.pocketBase.withAPI { api in
                try await api.dispatch(AddSpeaker(id: "listed111111111", name: "Cleo", talks: 1001))
                try await api.dispatch(AddSpeaker(id: "listed222222222", name: "Ada", talks: 1003))
                try await api.dispatch(AddSpeaker(id: "listed333333333", name: "Bob", talks: 1002))
                try await api.dispatch(AddSpeaker(id: "listed444444444", name: "Dan", talks: 999))

                func names(_ query: LoadSpeakers) async throws -> [String] {
                    try await api.dispatch(query).map(\.name)
                }
                let filter = SpeakerFilter.talks(atLeast: 1000)
                #expect(try await names(LoadSpeakers(filter: filter)) == ["Ada", "Bob", "Cleo"])
                #expect(try await names(LoadSpeakers(filter: filter, order: .mostTalks)) == ["Ada", "Bob", "Cleo"])
                #expect(try await names(LoadSpeakers(filter: filter, page: 1, perPage: 2)) == ["Ada", "Bob"])
                #expect(try await names(LoadSpeakers(filter: filter, page: 2, perPage: 2)) == ["Cleo"])
                #expect(try await names(LoadSpeakers(filter: filter, page: 3, perPage: 2)) == [])
                #expect(try await names(LoadSpeakers(filter: .talks(atLeast: 1003))) == ["Ada"])
                #expect(try await names(LoadSpeakers(filter: .talks(atLeast: 1004))) == [])
                #expect(try await names(LoadSpeakers(perPage: 500)).contains("Dan"))
            }
        }

        @Test(arguments: World.allCases)
        func `a photo is loaded byte for byte, with its media type`(world: World) async throws {
            // Begins like a PNG, and contains every byte.
            let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) + Data(0...255)
            try await world.withAPI { api in
                try await api.dispatch(AddSpeaker(id: "photo1234567890", name: "Eve", talks: 1))
                try await api.dispatch(SetPhoto(id: "photo1234567890", png: png))
                let speaker = try await api.dispatch(LoadSpeaker(id: "photo1234567890"))
                let photo = try await api.dispatch(LoadPhoto(id: speaker.id, photo: speaker.photo))
                #expect(photo.data == png)
                #expect(photo.mediaType == "image/png")
            }
        }

        @Test(arguments: World.allCases)
        func `adding a speaker twice throws the API's own error`(world: World) async throws {
            try await world.withAPI { api in
                try await api.dispatch(AddSpeaker(id: "twice1234567890", name: "Fay", talks: 1))
                await #expect {
                    try await api.dispatch(AddSpeaker(id: "twice1234567890", name: "Gus", talks: 2))
                } throws: {
                    world.isTaken($0, id: "twice1234567890")
                }
                let speaker = try await api.dispatch(LoadSpeaker(id: "twice1234567890"))
                #expect(speaker.name == "Fay")
            }
        }
    }
}
