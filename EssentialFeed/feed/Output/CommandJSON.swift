import DuetDependencies
import FeedBackend
import FeedFeature
import Foundation

/// The image that a command changed, as JSON.
struct ChangedImageJSON: Encodable {
    let id: UUID
}

/// A published image as JSON, with the kinds of metadata that were removed from it.
struct PublishedImageJSON: Encodable {
    let id: UUID
    let removed: [ImageMetadata]

    init(id: UUID, without metadata: Set<ImageMetadata>) {
        self.id = id
        removed = ImageMetadata.allCases.filter(metadata.contains)
    }
}

/// A posted comment as JSON.
struct PostedCommentJSON: Encodable {
    let id: UUID
    let imageID: UUID
    let state: String
}

/// An image with its bytes as JSON.
struct ImageJSON: Encodable {
    let id: UUID
    let description: String?
    let location: String?
    let url: URL
    let bytes: Int
    let mediaType: String?
    let file: String?
}

/// A removal from the cache as JSON.
struct RemovedCacheJSON: Encodable {
    let removedImages: Int
}

/// A created token as JSON.
struct CreatedTokenJSON: Encodable {
    let name: String
    let permissions: [String]
    let token: String
}

/// A revoked token as JSON.
struct RevokedTokenJSON: Encodable {
    let name: String
}

/// The accepted tokens as JSON.
struct TokensJSON: Encodable {
    struct Item: Encodable {
        let name: String
        let permissions: [String]
        let createdAt: Date
    }

    let items: [Item]

    init(_ tokens: [TokenSummary]) {
        items = tokens.map {
            Item(name: $0.name, permissions: $0.permissions.map(\.rawValue).sorted(), createdAt: $0.createdAt)
        }
    }
}

/// The addresses of running servers as JSON.
struct AddressesJSON: Encodable {
    var backend: URL?
    var page: URL?
    var inspect: URL?
    var proxy: URL?
    var origin: String?
}

/// Dependency graphs as JSON.
struct GraphsJSON: Encodable {
    struct Graph: Encodable {
        let name: String
        let messages: [Message]
        let registrations: [Registration]
    }

    struct Message: Encodable {
        let message: String
        let kind: String
        let handler: String
    }

    struct Registration: Encodable {
        let name: String
        let implementation: String?
        let lifetime: String
        let dependencies: [String]
    }

    let graphs: [Graph]

    init(_ graphs: KeyValuePairs<String, DependencyGraph>) {
        self.graphs = graphs.map { name, graph in
            Graph(
                name: name,
                messages: graph.routes.map {
                    Message(message: $0.message, kind: $0.kind.rawValue, handler: $0.handler)
                },
                registrations: graph.nodes.map {
                    Registration(
                        name: $0.name,
                        implementation: $0.implementation,
                        lifetime: $0.lifetime.rawValue,
                        dependencies: $0.dependencies.map(\.name)
                    )
                }
            )
        }
    }
}
