import FeedFeature
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Synchronization
import Testing

@Suite struct ImageDataTests {
    @Test(arguments: [
        (jpeg, "image/jpeg"),
        (Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0]), "image/png"),
        (Data("GIF89a-".utf8), "image/gif"),
        (Data("RIFF....WEBPVP8 ".utf8), "image/webp"),
    ])
    func `a delivered image is served with the type of its bytes`(_ data: Data, _ type: String) async throws {
        let site = Site {
            $0.feed = { _ in FeedPage(images: [image(1)], source: .remote) }
            $0.imageData = { _ in data }
        }
        _ = try await site.get("/")
        let answer = try await site.get("/images/\(image(1).id)/data")

        #expect(answer.status == .ok)
        #expect(answer.headers[.contentType] == type)
        #expect(Data(answer.body.readableBytesView) == data)
        #expect(site.messages == [.loadFeed(after: nil), .loadImageData(image(1).url)])
    }

    @Test func `images of every page and either case of id are found`() async throws {
        let site = Site {
            $0.feed = { after in FeedPage(images: [after == nil ? image(1) : image(0xAB)], source: .remote) }
        }
        _ = try await site.get("/")
        _ = try await site.get("/feed?after=\(image(1).id)")
        let answer = try await site.get("/images/\(image(0xAB).id.uuidString.lowercased())/data")

        #expect(answer.status == .ok)
        #expect(site.messages.last == .loadImageData(image(0xAB).url))
    }

    @Test func `an address in the request is ignored`() async throws {
        let site = Site { $0.cached = { [image(1)] } }
        let answer = try await site.get("/images/\(image(1).id)/data?url=http://127.0.0.1/secret")

        #expect(answer.status == .ok)
        #expect(site.messages == [.loadFeedCacheSummary, .loadImageData(image(1).url)])
    }

    @Test func `an image of the cached feed is found after a restart`() async throws {
        let site = Site { $0.cached = { [image(1), image(2)] } }

        for number: UInt8 in [2, 1] {
            #expect(try await site.get("/images/\(image(number).id)/data").status == .ok)
        }
        #expect(
            site.messages == [.loadFeedCacheSummary, .loadImageData(image(2).url), .loadImageData(image(1).url)]
        )
    }

    @Test func `unknown ids load the cached feed once and the feed never`() async throws {
        let site = Site {
            $0.feed = { _ in FeedPage(images: [image(1)], source: .remote) }
            $0.cached = { [image(2)] }
        }
        for number: UInt8 in 100..<120 {
            let path = "/images/\(image(number).id)/data?url=http://127.0.0.1/secret"
            #expect(try await site.get(path).status == .notFound)
            _ = try await site.get("/images/\(image(number).id)")
        }

        #expect(site.messages.filter { $0 == .loadFeedCacheSummary } == [.loadFeedCacheSummary])
        #expect(!site.messages.contains(.loadFeed(after: nil)))
    }

    @Test func `concurrent requests wait for the cached feed`() async throws {
        let site = Site { $0.cached = { [image(1), image(2), image(3)] } }
        try await withThrowingTaskGroup(of: HTTPResponse.Status.self) { group in
            for number: UInt8 in 1...3 {
                group.addTask { try await site.get("/images/\(image(number).id)/data").status }
            }
            for try await status in group { #expect(status == .ok) }
        }

        #expect(site.messages.count { $0 == .loadFeedCacheSummary } == 1)
    }

    @Test func `an image whose URL changed with the backend's address is found after a restart`() async throws {
        let moved = [image(1), image(2)].map { FeedImage(id: $0.id, url: URL(filePath: "/moved/\($0.id)")) }
        let site = Site {
            $0.details = { id in moved.first { $0.id == id } ?? image(1) }
            $0.cached = { [image(1), image(2)] }
            $0.imageData = { url in
                guard moved.map(\.url).contains(url) else { throw RemoteFailure.connectivity("refused") }
                return jpeg
            }
        }

        #expect(try await site.get("/images/\(image(1).id)/data").status == .ok)
        #expect(try await site.get("/images/\(image(2).id)/data").status == .ok)
        #expect(
            site.messages == [
                .loadFeedCacheSummary, .loadImageData(image(1).url), .loadDetails(image(1).id),
                .loadImageData(moved[0].url), .loadImageData(image(2).url), .loadDetails(image(2).id),
                .loadImageData(moved[1].url),
            ]
        )
    }

    @Test func `an image that cannot be loaded is looked up at its backend, and the feed is not loaded`() async throws {
        let site = Site {
            $0.details = { id in [image(1), image(2)].first { $0.id == id } ?? image(3) }
            $0.cached = { [image(1), image(2)] }
            $0.imageData = { _ in throw RemoteFailure.connectivity("refused") }
        }
        for number: UInt8 in [1, 2, 1] {
            #expect(try await site.get("/images/\(image(number).id)/data").status == .badGateway)
        }

        #expect(site.messages.count { $0 == .loadDetails(image(1).id) } == 2)
        #expect(!site.messages.contains(.loadFeed(after: nil)))
    }

    @Test(arguments: [
        "/images/1", "/images/1/data", "/images/", "/images/../style.css", "/images/http:%2F%2F127.0.0.1%2Fsecret",
    ])
    func `an invalid id is not found`(_ path: String) async throws {
        let site = Site()

        #expect(try await site.get(path).status == .notFound)
        #expect(site.messages.isEmpty)
    }

    @Test(arguments: [Data(), Data("<html>".utf8), Data([0xFF, 0xD8]), Data("GIF88a".utf8)])
    func `bytes that are not an image are not served`(_ data: Data) async throws {
        let site = Site {
            $0.cached = { [image(1)] }
            $0.imageData = { _ in data }
        }
        let answer = try await site.get("/images/\(image(1).id)/data")

        #expect(answer.status == .badGateway)
        #expect(answer.headers[.contentType] == "text/html; charset=utf-8")
        #expect(answer.headers[.cacheControl] == "no-store")
    }

    @Test func `an image that is not at its address is not found, and is forgotten until the feed has it`() async throws
    {
        let isMissing = Mutex(true)
        let site = Site {
            $0.feed = { _ in FeedPage(images: [image(1)], source: .remote) }
            $0.imageData = { _ in
                guard isMissing.withLock({ $0 }) else { return jpeg }
                throw RemoteFailure.invalidData("its status is 404, not 200", isMissing: true)
            }
        }
        _ = try await site.get("/")
        for _ in 1...2 { #expect(try await site.get("/images/\(image(1).id)/data").status == .notFound) }
        #expect(site.messages.count { $0 == .forget([image(1).id]) } == 1)
        isMissing.withLock { $0 = false }
        _ = try await site.get("/")
        #expect(try await site.get("/images/\(image(1).id)/data").status == .ok)
    }

    @Test func `an image that cannot be loaded is a bad gateway`() async throws {
        let site = Site {
            $0.cached = { [image(1)] }
            $0.imageData = { _ in throw RemoteFailure.connectivity("refused") }
        }

        #expect(try await site.get("/images/\(image(1).id)/data").status == .badGateway)
    }

    @Test func `an unreadable cache is a server error, and is read again`() async throws {
        let cache = Cache()
        let site = Site {
            $0.cached = {
                guard cache.isReadable.withLock({ $0 }) else { throw CacheFault() }
                return [image(1)]
            }
        }

        #expect(try await site.get("/images/\(image(1).id)/data").status == .internalServerError)
        cache.isReadable.withLock { $0 = true }
        #expect(try await site.get("/images/\(image(1).id)/data").status == .ok)
    }

    @Test(arguments: [(UInt8(2), true), (3, true), (4, true), (5, false)])
    func `the oldest delivered images are forgotten`(_ newest: UInt8, _ isKnown: Bool) async throws {
        let site = Site(imageLimit: 4) {
            $0.feed = { after in
                guard let after, after.uuid.15 < newest else { return FeedPage(images: [], source: .remote) }
                return FeedPage(images: [image(after.uuid.15 + 1)], source: .remote)
            }
        }
        for number in 0..<newest { _ = try await site.get("/feed?after=\(image(number).id)") }

        #expect(try await site.get("/images/\(image(newest).id)/data").status == .ok)
        #expect(try await site.get("/images/\(image(1).id)/data").status == (isKnown ? .ok : .notFound))
    }
}

private struct CacheFault: Error {}

private final class Cache: Sendable {
    let isReadable = Mutex(false)
}
