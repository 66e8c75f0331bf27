import DuetDependencies
import FeedFeature
import Foundation

extension FeedImage {
    var json: JSONObject {
        [
            "id": id,
            "description": description,
            "caption": caption,
            "location": location,
            "author": author,
            "publishedAt": publishedAt,
            "commentCount": commentCount,
            "width": size?.width,
            "height": size?.height,
            "isAnimated": isAnimated,
            "url": url,
            "versions": versions.map { ["width": $0.width, "url": $0.url] as JSONObject },
        ]
    }
}

extension ImageComment {
    var json: JSONObject { ["id": id, "message": message, "createdAt": createdAt, "username": username] }
}

extension ImageCommentPage {
    var json: JSONObject { ["hasEarlier": hasEarlier, "items": comments.map(\.json)] }
}

extension FeedPager.Loaded {
    var json: JSONObject {
        let (source, savedAt): (String, Date?) =
            switch page.source {
            case .remote: ("remote", nil)
            case .cache(let date): ("cache", date)
            default: ("nowhere", nil)
            }
        return [
            "source": source,
            "savedAt": savedAt,
            "failure": page.failure.map { ["kind": "\($0.kind)", "reason": $0.reason] as JSONObject },
            "missingImages": missingImages,
            "hasMore": hasMore,
            "items": page.images.map(\.json),
        ]
    }
}

extension DependencyGraph {
    func json(named name: String) -> JSONObject {
        [
            "name": name,
            "messages": routes.map {
                ["message": $0.message, "kind": $0.kind.rawValue, "handler": $0.handler] as JSONObject
            },
            "registrations": nodes.map {
                [
                    "name": $0.name,
                    "implementation": $0.implementation,
                    "lifetime": $0.lifetime.rawValue,
                    "dependencies": $0.dependencies.map(\.name),
                ] as JSONObject
            },
        ]
    }
}
